// A counter is a big number with − and +: tap is one, hold repeats and is never also a tap, the number opens a keypad.

import { onChange, tap, waiting } from "./taps.js";
import { drawnVersion } from "./stream.js";

const HOLD = 450; // ms until a press is a hold
const BUBBLE = 5000; // ms that "+3 → 14" stays
const minus = "−";
const plain = (n) => (n < 0 ? minus + -n : String(n));
const signed = (n) => (n > 0 ? `+${n}` : n < 0 ? minus + -n : "±0");

let accepted = []; // answered, but not drawn yet
const bubbles = new Map(); // counter id → {base, value, timer}
let held = null; // {counter, step, by, timer}
let swallow = null; // the click that ends a hold is not a tap
const keypad = document.getElementById("keypad");

// --- what the number shows: what the server drew, and the taps that are still on their way ---

/** A push often outruns the answer to the tap that caused it, so the log's lines say which taps are drawn. */
const drawn = () => new Set(Array.from(document.querySelectorAll("#log [data-tap]"), (line) => line.dataset.tap));

function underWay(id, already = drawn()) {
  const queued = waiting().map((each) => ({ id: each.id, ...each.about }));
  const later = accepted.filter((done) => !queued.some((each) => each.id === done.id));
  const now = held?.counter === id ? held.by : 0;
  return [...queued, ...later]
    .filter((each) => each.counter === id && !already.has(each.id))
    .reduce((sum, each) => sum + each.by, now);
}

const drawnValue = (counter) => Number(counter.querySelector("[data-value]").dataset.value);

export function redrawCounters() {
  const already = drawn();
  accepted = accepted.filter((done) => !already.has(done.id) && done.version > drawnVersion());
  for (const counter of document.querySelectorAll(".counter")) {
    const more = underWay(counter.id, already);
    const value = drawnValue(counter) + more;
    const output = counter.querySelector("output");
    if (output.textContent !== plain(value)) output.textContent = plain(value);
    const { whom, label } = counter.dataset;
    const number = counter.querySelector("[data-keypad]");
    number.setAttribute("aria-label", `${whom}: ${plain(value)} ${label}, type a number`);
    counter.classList.toggle("pending", more !== 0);
    number.dataset.digits = plain(value).length;
    bubble(counter, value);
  }
  if (keypad?.open) calculate(); // others may tap while somebody types
}

function bubble(counter, value) {
  const seen = bubbles.get(counter.id);
  if (!seen) return void bubbles.set(counter.id, { base: value, value, timer: 0 });
  if (seen.value === value) return;
  if (!seen.timer) seen.base = seen.value;
  seen.value = value;
  const by = value - seen.base;
  show(counter, by ? `${signed(by)} → ${plain(value)}` : "");
  say(counter, `${plain(value)} (${signed(by)})`);
}

function show(counter, words) {
  const seen = bubbles.get(counter.id), element = counter.querySelector(".bubble");
  element.textContent = words;
  element.toggleAttribute("data-on", words !== "");
  clearTimeout(seen.timer);
  seen.timer = setTimeout(() => {
    seen.timer = 0;
    document.getElementById(counter.id)?.querySelector(".bubble").removeAttribute("data-on");
  }, BUBBLE);
}

// --- what a screen reader hears: every seat's change, a moment after the last tap ---

const unsaid = new Map();
let saying = 0;
function say(counter, words) {
  unsaid.set(counter.id, `${counter.dataset.whom}: ${counter.dataset.label} ${words}`);
  clearTimeout(saying);
  saying = setTimeout(() => {
    document.getElementById("said").textContent = [...unsaid.values()].join(". ");
    unsaid.clear();
  }, 700);
}

// --- what another loses is asked first: by a second tap on the same place ---

/** Whose phone this seat is on, by name, if that is another one than this. Who has no phone is tapped for. */
export function another(element) {
  const seat = element.closest("[data-seat]:not([data-yours])")?.dataset.seat;
  const held = [...document.querySelectorAll("#roster [data-seats]")].some(({ dataset }) => dataset.number !== document.body.dataset.me && dataset.seats.split(" ").includes(seat));
  return held ? document.getElementById(`seat-${seat}-name`).textContent : "";
}

const sure = new Map(); // counter id → when it was last tapped here: a slip may be put right at once
function asksFirst(step) {
  const counter = step.closest(".counters > .counter");
  if (!counter || Number(step.dataset.step) > 0 || !another(counter)) return false;
  return performance.now() - (sure.get(counter.id) ?? -Infinity) > BUBBLE;
}

function askFirst(step) {
  const counter = step.closest(".counter"), seen = bubbles.get(counter.id);
  if (!seen.timer) seen.base = seen.value;
  sure.set(counter.id, performance.now());
  show(counter, `${minus}1? Tap again`);
  say(counter, `${minus}1? Tap again`);
}

// --- tapping and holding ---

function send(counter, by) {
  if (!by) return;
  sure.set(counter.id, performance.now());
  const about = { counter: counter.id, by };
  const done = tap(counter.dataset.do, { ...JSON.parse(counter.dataset.args), by }, about);
  redrawCounters();
  done.then((answer) => {
    if (answer.refused) document.dispatchEvent(new CustomEvent("table:say", { detail: { text: answer.refused } }));
    redrawCounters();
  });
}

document.addEventListener("tap:answered", ({ detail: { tap: done, answer } }) => {
  if (done.about.counter && answer.version) accepted.push({ id: done.id, ...done.about, version: answer.version });
});

document.addEventListener("click", (event) => {
  const step = event.target.closest?.("[data-step]");
  if (!step) return;
  if (swallow === step) { swallow = null; return; }
  if (asksFirst(step)) return askFirst(step);
  send(step.closest(".counter"), Number(step.dataset.step));
});

document.addEventListener("pointerdown", (event) => {
  swallow = null;
  const step = event.target.closest?.("[data-step]");
  if (!step || event.button || asksFirst(step)) return;
  const by = Number(step.dataset.step);
  held = { counter: step.closest(".counter").id, step, by: 0, timer: setTimeout(function again() {
    swallow = step;
    step.dataset.held = "";
    held.by += by;
    redrawCounters();
    held.timer = setTimeout(again, Math.abs(held.by) < 10 ? 160 : 70);
  }, HOLD) };
});

/** One tap for the whole hold, however it ends: a lifted finger, a call coming in, the page going away. */
function letGo() {
  if (!held) return;
  const { counter, step, by, timer } = held;
  clearTimeout(timer);
  held = null;
  delete step.dataset.held;
  if (by) send(document.getElementById(counter), by);
}
for (const name of ["pointerup", "pointercancel", "blur", "pagehide"]) addEventListener(name, letGo);
addEventListener("contextmenu", (event) => { if (event.target.closest?.("[data-step]")) event.preventDefault(); });

// --- the keypad: a number, then the next player, and after the last one what comes next at this table ---

const text = document.getElementById("keypad-text");
const total = document.getElementById("keypad-sum");
const seats = document.getElementById("keypad-seats");
let open = null; // the counter's id: the element may be redrawn while the keypad is up
let left = []; // who has not had their turn yet, by the ids of their counters
let ahead = null; // what the table does next, while it is under way: a number must not land in the round before it

const element = () => document.getElementById(open);
const underway = () => ahead && !(ahead.version <= drawnVersion());
document.addEventListener("tap:answered", ({ detail: { tap: done, answer } }) => {
  if (ahead?.url === done.url) ahead.version = answer.version ?? 0;
});

/** The same number of every player. */
const round = (counter) => [...document.querySelectorAll(".counters > .counter")].filter((each) => each.dataset.label === counter.dataset.label);

/** 3+6 → 9; null for what is no whole number and no sum. */
function sum() {
  const typed = text.value.replace(/\s/g, "").replaceAll(minus, "-").replaceAll("–", "-");
  if (!/^[+-]?\d{1,6}([+-]\d{1,6}){0,11}$/.test(typed)) return null;
  return typed.match(/[+-]?\d+/g).reduce((all, part) => all + Number(part), 0);
}

const current = () => drawnValue(element()) + underWay(open);

/** Some counters end somewhere; what is beyond is not promised. */
function within(value) {
  return Math.min(value, Number(document.getElementById(open)?.dataset.most ?? Infinity));
}

function calculate() {
  const typed = sum();
  const bad = typed === null || Math.abs(typed) > 999_999 || underway();
  keypad.querySelector("[data-add]").disabled = keypad.querySelector("[data-set]").disabled = bad;
  keypad.querySelector("[data-next]").disabled = bad && (text.value !== "" || underway());
  keypad.querySelector("[data-add]").textContent = bad ? "Add" : typed < 0 ? `Take ${-typed}` : `Add ${typed}`;
  keypad.querySelector("[data-set]").textContent = bad ? "Set to" : `Set to ${plain(within(typed))}`;
  const added = bad ? 0 : within(current() + typed);
  total.textContent = bad
    ? (underway() ? "One moment …" : text.value ? "A whole number, or a sum like 3+6" : `now ${plain(current())}`)
    : `${plain(current())} ${typed < 0 ? minus : "+"} ${Math.abs(typed)} = ${plain(added)}${added < current() + typed ? ", the most" : ""}`;
  for (const tab of seats.children) tab.lastChild.textContent = plain(drawnValue(document.getElementById(tab.value)) + underWay(tab.value));
}

function put(by) {
  const counter = element();
  if (counter && by) send(counter, by);
}

/** What the table does next is on its strong button; one that asks first is for a finger of its own. */
const onward = () => document.querySelector("#phase .phase-buttons > .strong[data-do]:not([data-confirm])");

function turnTo(id) {
  open = id;
  const { whom, label } = element().dataset;
  document.getElementById("keypad-whom").textContent = `${whom}: ${label}`;
  const after = left[0] && document.getElementById(left[0]);
  const next = keypad.querySelector("[data-next]");
  next.textContent = after ? `Next: ${after.dataset.whom}` : onward()?.textContent.trim() ?? "";
  next.hidden = seats.hidden || !next.textContent;
  next.classList.add("strong");
  keypad.querySelector("[data-add]").classList.toggle("strong", next.hidden); // one thing is next
  for (const tab of seats.children) tab.ariaPressed = String(tab.value === id);
  text.value = "";
  calculate();
}

/** A tap on a token adds what was typed and turns to that player. */
function layOut(counter) {
  const all = round(counter), at = all.indexOf(counter);
  left = [...all.slice(at + 1), ...all.slice(0, Math.max(0, at))].map((each) => each.id);
  seats.hidden = at < 0 || all.length < 2;
  seats.replaceChildren(...(seats.hidden ? [] : all.map(tabOf)));
  turnTo(counter.id);
}

function tabOf(counter) {
  const tab = Object.assign(document.createElement("button"), { type: "button", className: "p-tap", value: counter.id });
  const name = Object.assign(document.createElement("span"), { className: "unseen", textContent: `${counter.dataset.whom} ` });
  tab.append(counter.closest(".seat").querySelector(".token").cloneNode(true), name, document.createElement("b"));
  return tab;
}

function next() {
  put(sum());
  const id = left.shift();
  if (id) return turnTo(id);
  const button = onward();
  ahead = { url: button.dataset.do };
  button.click();
  layOut(document.getElementById(seats.firstElementChild.value));
}

if (keypad) {
  document.addEventListener("click", (event) => {
    const number = event.target.closest?.("[data-keypad]");
    if (!number) return;
    layOut(number.closest(".counter"));
    keypad.showModal();
    text.focus();
  });
  keypad.addEventListener("click", (event) => {
    const { target } = event;
    const key = target.closest("[data-key]"), tab = target.closest("#keypad-seats button");
    if (target.closest("[data-back]")) text.value = text.value.slice(0, -1);
    else if (key) text.value += key.dataset.key;
    else if (target.closest("[data-next]")) return next();
    else if (tab) { put(sum()); left = left.filter((id) => id !== tab.value); return turnTo(tab.value); }
    else if (target.closest("[data-set]")) { put(within(sum()) - current()); return keypad.close(); }
    else return;
    calculate();
  });
  text.addEventListener("input", calculate);
  document.getElementById("keypad-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (sum() === null) return;
    put(sum());
    keypad.close();
  });
}

onChange(redrawCounters);
redrawCounters();
