// What moves on the page by itself, and what may not: nothing is hit by a finger that was on its way to something else.

const still = matchMedia("(prefers-reduced-motion: reduce)");
const REST = 600; // ms after which a page that was scrolled lies still
const SOON = 2000; // ms that a new phase waits for busy hands; after that it is no news

/** For a moment nothing can be hit. */
let hushed = 0;
function hush(time = 400) {
  document.body.classList.add("settling");
  clearTimeout(hushed);
  hushed = setTimeout(() => document.body.classList.remove("settling"), time);
}

// --- seats that changed places ---

const seats = document.getElementById("seats");
const places = () => [...(seats?.children ?? [])].map((seat) => seat.id + seat.offsetTop + "/" + seat.offsetLeft).join();
let before = "";
document.addEventListener("htmx:before:swap", () => { before = places(); });
export function settle() {
  if (places() !== before) hush();
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
const count = (event) => { touches = event.touches.length; };
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
export function turnTo() {
  if (phase === key()) return;
  phase = key();
  bring(performance.now() + SOON);
}

function bring(until) {
  if (verdict() !== "continues") return; // that is what comes up
  if (busy()) return void (performance.now() < until && setTimeout(bring, 200, until));
  const covered = [".top", "#timer:not([hidden])"].map((each) => document.querySelector(each)?.getBoundingClientRect().bottom ?? 0);
  const by = document.getElementById("phase").getBoundingClientRect().top - Math.max(...covered);
  if (by >= 0) return; // in view
  hush(600);
  scrollBy({ top: by - 12, behavior: still.matches ? "instant" : "smooth" });
}
