// What moves on the page by itself, and what may not: nothing is hit by a finger that was on its way to something else,
// and no finger is left without a word.

import { drawnVersion } from "./stream.js";
import { waiting } from "./taps.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const REST = 600; // ms after which a page that was scrolled lies still
const SOON = 2000; // ms that a new phase waits for busy hands; after that it is no news
const REACH = 250; // ms that a finger is on its way
const LANDED = 400; // ms after which it has got there
const AWAY = 3000; // ms after which nobody's hand is on this phone
const FAR = 24; // px: half a button, so that what moved less is still under the finger that was meant for it

// --- what has just come or moved takes no tap, for as long as a finger is on its way, and says so ---

const pressed = () => document.querySelectorAll("#page :is(button, summary, label, a[href])");
const name = (each) => each.id || (each.dataset.do ? each.dataset.do + each.dataset.args : each.ariaLabel ?? each.textContent);
const onScreen = ({ top, bottom, width }) => width > 0 && bottom > 0 && top < innerHeight;
const distance = (a, b) => Math.max(Math.abs(a.x + a.width / 2 - b.x - b.width / 2), Math.abs(a.y + a.height / 2 - b.y - b.height / 2));

let places = new Map();
document.addEventListener("htmx:before:swap", () => {
  places = new Map();
  for (const each of pressed()) {
    const place = each.getBoundingClientRect();
    if (onScreen(place)) places.set(name(each), place);
  }
});

export function settle() {
  for (const each of pressed()) {
    const now = each.getBoundingClientRect(), was = places.get(name(each));
    if (onScreen(now) && !(was && distance(was, now) < FAR)) rest(each);
  }
}

function rest(each) {
  each.dataset.moved = "";
  setTimeout(() => { delete each.dataset.moved; }, REACH);
}

/** The whole page, while it is scrolled by nobody's finger. */
function hush() {
  document.body.classList.add("settling");
  const over = () => setTimeout(() => document.body.classList.remove("settling"), REACH);
  addEventListener("scrollend", over, { once: true });
  setTimeout(over, 2 * REACH); // where nothing was left to scroll, or nobody says when it ends
}

addEventListener("pointerdown", ({ clientX: x, clientY: y, target }) => {
  if (target.closest?.(".bar, .top, .toasts, dialog, [popover]")) return;
  const asleep = document.body.classList.contains("settling") ? pressed() : document.querySelectorAll("[data-moved]");
  const missed = [...asleep].find((each) => {
    const { top, bottom, left, right } = each.getBoundingClientRect();
    return top <= y && y <= bottom && left <= x && x <= right;
  });
  if (missed) document.dispatchEvent(new CustomEvent("table:no", { detail: { tap: missed, text: "It moved: tap again." } }));
}, true);

// --- what there is to learn stands above all else. By another's tap it comes and goes without moving what lies below ---

const card = () => document.querySelector("#lesson > [data-yours]");
const which = () => card()?.querySelector("[data-do$='/read_lesson']")?.dataset.args ?? "";
const least = new CSSStyleSheet(); // how high the card stays
document.adoptedStyleSheets.push(least);
let past = null; // one whose moment another's tap has ended stays to be read, until this phone taps
let last = { version: 0, high: 0, copy: null };
let mine = 0; // the version of this phone's last tap
document.addEventListener("tap:answered", ({ detail: { answer } }) => { mine = Math.max(mine, answer.version ?? 0); });

const high = (each) => (each ? each.offsetHeight + (parseFloat(getComputedStyle(each.closest("#page")).rowGap) || 0) : 0);
document.addEventListener("htmx:before:swap", () => {
  const shown = card() ?? past ?? null;
  last = { version: drawnVersion(), high: high(shown), copy: shown?.cloneNode(true) };
});

let own = false; // whether what was drawn last came of a tap of this phone
export function keepPlace() {
  const now = card();
  own = waiting().length > 0 || mine > last.version;
  past?.remove();
  past = null;
  if (own) least.replaceSync("");
  else if (!now && last.copy) {
    past = last.copy;
    past.id = "lesson-past";
    past.addEventListener("click", ({ target }) => { if (target.closest("[data-do]")) past = past?.remove(); });
    document.getElementById("lesson").before(past);
  } else if (high(now) < last.high) least.replaceSync(`#lesson > [data-yours] { min-height: ${now.offsetHeight + last.high - high(now)}px }`);
  else if (high(now) > last.high) scrollBy({ top: high(now) - last.high, behavior: "instant" });
}

// --- the end of a game comes up by itself, wherever on the page this phone was; after a dialog, if one is open ---

const verdict = () => document.getElementById("verdict")?.dataset.outcome ?? "continues";
let outcome = verdict();
export function comeUp() {
  const was = outcome, now = verdict();
  if (now !== "continues" && document.querySelector("dialog[open]")) return;
  outcome = now;
  if (outcome === "continues" || outcome === was) return;
  document.querySelector(".logbook:popover-open")?.hidePopover();
  const shown = document.getElementById("verdict"); // the words of one that is long must not be above the screen
  shown.scrollIntoView({ block: shown.offsetHeight > innerHeight / 2 ? "start" : "center" });
  hush();
}
document.addEventListener("close", comeUp, true);

// --- a new phase comes into view, but never under somebody's hands ---

let touches = 0;
let scrolled = -Infinity;
let touched = -Infinity;
const count = (event) => { touches = event.touches.length; touched = performance.now(); };
addEventListener("touchstart", (event) => {
  count(event);
  // asked of what was touched: if that is redrawn meanwhile, nobody above it hears that the finger was lifted
  for (const name of ["touchend", "touchcancel"]) event.target.addEventListener(name, count, { passive: true });
}, { passive: true });
addEventListener("scroll", () => { scrolled = performance.now(); }, { passive: true });

const TYPED = "input:not([type=radio], [type=checkbox]), textarea, select";
function busy() {
  return touches > 0 || performance.now() - scrolled < REST
    || Boolean(document.activeElement?.matches(TYPED))
    || Boolean(document.querySelector("dialog[open], [popover]:not(#toasts):popover-open"));
}

const key = () => `${document.getElementById("ask")?.dataset.phase} ${document.getElementById("phase")?.dataset.within}`;
let phase = key();
let lesson = which();
export function turnTo() {
  const news = phase !== key(), learnt = lesson !== which() && which();
  phase = key();
  lesson = which();
  if (news && !learnt) bring(performance.now() + SOON);
  else if (learnt && own) bring(Infinity);
  else if (learnt) setTimeout(bring, news ? LANDED : SOON, Infinity, news ? 0 : AWAY); // a finger on its way comes first
}

function bring(until, rest = 0) {
  if (verdict() !== "continues") return; // that is what comes up
  const held = busy() || performance.now() - touched < rest;
  if (held) return void (performance.now() < until && setTimeout(bring, 200, until, rest));
  const covered = [".top", "#timer:not([hidden])"].map((each) => document.querySelector(each)?.getBoundingClientRect().bottom ?? 0);
  const first = document.querySelector("#lesson > [data-yours], #phase"); // what there is to learn stands above it
  const by = first.getBoundingClientRect().top - Math.max(...covered);
  if (by >= 0) return; // in view
  hush();
  scrollBy({ top: by - 12, behavior: still.matches ? "instant" : "smooth" });
}
