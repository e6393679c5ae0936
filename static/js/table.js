// The table page: which parts are this phone's, buttons that are one tap, sheets that slide up, short words.

import { newId, tap, waiting } from "./taps.js";
import { redraw } from "./stream.js";
import { another, redrawCounters } from "./counters.js";
import { comeUp, keepPlace, settle, turnTo } from "./moves.js";
import { nudge } from "./sound.js";
import "./timer.js";
import "./dice.js";
import "./rules.js";
import "./buzz.js";
import "./news.js";
import "./pieces.js";
import "./kept.js";
import "./aloud.js";

const body = document.body;
const me = body.dataset.me;
const sheet = document.getElementById("sheet");
const question = document.getElementById("confirm");

// --- parts are drawn once for everyone; what is ours is marked here, from the roster that is part of the page ---

let invited = ""; // which invitation this phone shows, and as who
let held = []; // this phone's seats, as it last knew: who loses one hears so
function personalise() {
  const roster = document.getElementById("roster");
  const mine = roster.querySelector(`[data-number="${me}"]`);
  if (!mine || mine.dataset.role === "gone") return void document.dispatchEvent(new Event("table:left"));
  const seats = body.dataset.page === "display" ? [] : mine.dataset.seats.split(" ").filter(Boolean); // that is for all
  if (held.some((seat) => !seats.includes(seat))) say("A seat of yours is on another phone now. The log says how it came to that.");
  held = seats;
  const asks = `${roster.dataset.invitation} ${mine.dataset.role} ${roster.dataset.host === me}`;
  if (invited && invited !== asks) showInvitation();
  invited = asks;
  for (const element of document.querySelectorAll("[data-seat]")) element.toggleAttribute("data-yours", seats.includes(element.dataset.seat));
  for (const element of document.querySelectorAll("[data-phone]")) element.toggleAttribute("data-yours", element.dataset.phone === me);
  const host = roster.dataset.host === me;
  nameTheGame(roster.dataset.title);
  body.classList.toggle("is-host", host);
  body.classList.toggle("several", seats.length > 1);
  body.classList.toggle("learns", "learns" in mine.dataset && body.dataset.page !== "display");
  body.classList.toggle("watches", body.dataset.page === "display" || (mine.dataset.role !== "player" && !host));
  sayTurn(seats);
  goAlong(roster.dataset);
  for (const log of document.querySelectorAll("#log, #whole_log")) while (log.children.length > Number(log.dataset.most)) log.lastElementChild.remove();
  for (const time of document.querySelectorAll("time[data-at]:empty")) {
    const at = new Date(Number(time.dataset.at));
    time.dateTime = at.toISOString();
    time.textContent = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  }
}

/** What this table calls its game, which it may think of late. */
function nameTheGame(title) {
  const shown = document.getElementById("title");
  if (!shown || shown.textContent === title) return;
  document.title = document.title.replace(shown.textContent, () => title);
  shown.textContent = title;
}

/** Whose turn it is, if it is somebody's of this phone: at the top, wherever the page is scrolled to, and felt once. */
let turn = null;
function sayTurn(seats) {
  const words = document.getElementById("turn");
  if (!words) return;
  const yours = [...document.querySelectorAll("#phase[data-yours], .question[data-yours]:not(.anyone)")].find((each) => each.checkVisibility());
  const now = yours?.dataset.seat ?? "";
  words.hidden = !now;
  words.textContent = now && seats.length > 1 ? `${nameOf(now)}’s turn` : "Your turn";
  if (turn !== null && now && now !== turn && !body.classList.contains("watches")) nudge();
  turn = now;
}
const nameOf = (seat) => document.getElementById(`seat-${seat}-name`)?.textContent ?? "";

/** The same people play on elsewhere, or this was it: every screen goes along, once nobody types and all taps are sent. */
let known = null;
function goAlong({ next, ended }) {
  const now = next || ended;
  const to = next ? `/s/${next}${body.dataset.page === "display" ? "/display" : ""}` : ended && body.dataset.page === "table" && `/s/${body.dataset.code}/recap`;
  if (known !== null && now !== known && to) go(to);
  known = now;
}
function go(to) {
  if (document.querySelector("dialog[open]") || waiting().length) return void setTimeout(go, 200, to);
  location.assign(to);
}

/** A phone was removed, so there is a new invitation, or this phone has become one that may see it. Of two such
 * changes in a row the later one is shown, whichever answer comes first. */
let looksAt = 0;
async function showInvitation() {
  if (!document.getElementById("invitation")) return;
  const turn = (looksAt += 1);
  const answer = await fetch(location.href).catch(() => null); // without one, the next page has it
  const now = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("invitation");
  if (now && turn === looksAt) document.getElementById("invitation").replaceWith(now);
  offerToSend();
}

/** By what this phone sends with, or copied; both are for https alone. */
function offerToSend() {
  for (const button of document.querySelectorAll("[data-invite]")) button.hidden = !(navigator.share || navigator.clipboard);
}
offerToSend();
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-invite]");
  if (!button) return;
  const url = document.querySelector("#invitation .link a").href;
  try {
    if (navigator.share) return await navigator.share({ title: document.title, url });
    await navigator.clipboard.writeText(url);
    say("Copied: paste it where you like.");
  } catch { /* they thought better of it */ }
});

document.addEventListener("htmx:after:swap", () => { personalise(); offerTheLast(); redrawCounters(); keepPlace(); settle(); comeUp(); turnTo(); });
personalise();
offerTheLast();

document.addEventListener("table:left", ({ detail }) => {
  const main = document.getElementById("page");
  if (main.dataset.left) return;
  main.dataset.left = "yes";
  if (detail?.forgotten) return void say("This table has been deleted. Nothing of it is kept.", { label: "All games", do: () => { location.href = "/"; } }, 0);
  say("This phone is no longer at the table.", { label: "Join again", do: () => { location.href = `/j/${body.dataset.code}`; } }, 0);
});

/** The newest line that can be taken back, whoever tapped it: the log says which, so nobody has to send it. */
function offerTheLast() {
  const offer = document.getElementById("last");
  if (!offer) return;
  const found = [...document.querySelectorAll(".log .line:not(.gone) [data-undo]")].find(({ dataset: { undo }, parentElement }) => parentElement.id === `line-${undo}`);
  offer.hidden = !found;
  if (!found) return;
  const [by, whom, text] = [".line-by", ".line-for bdi", ".line-text"].map((each) => found.parentElement.querySelector(each)?.textContent);
  const button = offer.querySelector("button");
  button.dataset.undo = found.dataset.undo;
  button.querySelector("bdi").textContent = `${by}, ${whom ? `${whom}: ` : ""}${text}`;
}

// --- short words at the bottom ---

function say(text, action, time = 5000) {
  const toast = document.createElement("p");
  toast.className = "toast";
  toast.append(text);
  if (action) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = action.label;
    button.addEventListener("click", () => { toast.remove(); action.do(); });
    toast.append(button);
  }
  const toasts = document.getElementById("toasts");
  if (toasts.querySelector("[data-stays]")) return; // being sent away is the last word
  toast.toggleAttribute("data-stays", !time);
  raise(toasts);
  toasts.replaceChildren(toast);
  if (time) setTimeout(() => toast.remove(), time);
}
/** Above whatever sheet is open, or a no to a tap in it would be said behind it. */
function raise(element) {
  element.popover = "manual";
  if (element.matches(":popover-open")) element.hidePopover();
  element.showPopover();
}
document.addEventListener("table:say", ({ detail }) => say(detail.text, detail.action));

// --- a button that is one tap ---

async function press(button) {
  const { confirm = forAnother(button), undo, redo } = button.dataset;
  if (confirm && !(await ask(confirm))) return;
  const turned = undo || redo; // the entry of the journal that is taken back, or put back
  const url = turned ? journal(undo ? "take_back" : "put_back") : button.dataset.do;
  const fields = turned ? { entry: turned } : JSON.parse(button.dataset.args || "{}");
  if (sheet.open) sheet.close();
  button.closest(".tools")?.hidePopover();
  const answer = await tap(url, fields);
  if (answer.refused) return void say(answer.refused);
  if (undo) say("Taken back.", { label: "Put it back", do: () => tap(journal("put_back"), fields).then((a) => a.refused && say(a.refused)) });
  const old = document.querySelector(`[data-old] #line-${turned}`); // the stream brings the newest lines only
  if (old) htmx.ajax("GET", `/s/${body.dataset.code}/log/${turned}`, { target: old, swap: "outerMorph" });
}

/** What costs somebody dear is asked first, if another taps it for them. */
function forAnother(button) {
  const whose = button.matches(".danger, [data-costs]") && another(button);
  return whose ? `For ${whose}: ${button.querySelector("b").textContent}?` : "";
}

const journal = (how) => `/s/${body.dataset.code}/do/${how}`;

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button[data-do], button[data-undo], button[data-redo]");
  if (button) press(button);
  // a tap on the dimmed table closes the sheet that covers it
  if (event.target instanceof HTMLDialogElement) event.target.close();
});

function ask(words) {
  document.getElementById("confirm-question").textContent = words;
  question.showModal();
  return new Promise((resolve) => {
    const answer = (event) => {
      if (event.type === "click" && !event.target.closest("[data-yes], [data-no]")) return;
      question.removeEventListener("click", answer);
      question.removeEventListener("close", answer);
      question.close();
      resolve(event.type === "click" && Boolean(event.target.closest("[data-yes]")));
    };
    question.addEventListener("click", answer);
    question.addEventListener("close", answer);
  });
}

// --- forms in a sheet: htmx fetches them, the queue sends them ---

/** A cell of a score sheet is called what its form is called. In it, the next player's is one tap away. */
let below = ""; // its id
function openCell(cell) {
  const row = cell.closest("tr"), under = row.nextElementSibling?.cells[cell.parentElement.cellIndex]?.querySelector("[data-form]");
  below = under?.id ?? "";
  htmx.ajax("GET", `/s/${body.dataset.code}/form/${cell.id}`, { target: "#sheet-body", swap: "innerHTML" });
}
function offerBelow() {
  const button = sheetBody.querySelector("[data-next]"), cell = below && document.getElementById(below);
  if (!button || !cell) return;
  button.textContent = `Next: ${nameOf(cell.closest("tr").dataset.seat)}`;
  button.hidden = false;
  const on = () => openCell(document.getElementById(cell.id)), field = sheetBody.querySelector("[data-number]");
  button.addEventListener("click", () => (field.value === field.defaultValue ? on() : send(button.form, on)));
}
document.addEventListener("click", ({ target }) => {
  const cell = target.closest?.("button[data-form]");
  if (cell) openCell(cell);
});

// A closed sheet says so a moment later; what is drawn in between must not open it again over the table.
const sheetBody = document.getElementById("sheet-body");
let opened = null; // what was in it when it last came up
document.addEventListener("htmx:after:swap", () => {
  const now = sheetBody.firstElementChild;
  if (!now || now === opened) return;
  opened = now;
  if (!sheet.open) sheet.showModal();
  offerBelow();
  sheet.querySelector("[data-focus]")?.select();
});
sheet.addEventListener("close", () => { if (!sheet.open) { sheetBody.replaceChildren(); below = ""; } });

document.addEventListener("submit", (event) => {
  if (event.target.tap) event.target.tap.value ||= newId(); // once more: the browser sends it, and goes along
  const form = event.target.closest("form[data-tap]");
  if (!form) return;
  event.preventDefault();
  send(form, () => { if (sheet.contains(form)) sheet.close(); });
});

async function send(form, then) {
  const words = form.querySelector(".sentence");
  if (words) words.hidden = true;
  const answered = tap(form.getAttribute("action"), new FormData(form));
  // without a network the tap waits, not the person
  const answer = await Promise.race([answered, new Promise((resolve) => setTimeout(() => resolve({ later: true }), 2000))]);
  if (answer.refused && words && form.isConnected) {
    words.textContent = answer.refused;
    words.hidden = false;
    return;
  }
  if (answer.refused) return say(answer.refused);
  if (!("keep" in form.dataset)) form.reset();
  then();
  form.closest("[popover]")?.hidePopover(); // what was asked for is on the table now
  if (answer.later) answered.then((late) => late.refused && say(late.refused));
  else redraw();
}
