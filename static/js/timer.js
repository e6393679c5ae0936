// The journal knows when the timer ends; this phone counts down to it by its own monotonic clock, set by the server's.

import { alarm, tick } from "./sound.js";

const SECOND = 1000;
const AGAIN = 120 * SECOND; // a running timer asks for the time again; quartz is wrong by some 10 ms in that time
const DAY = 24 * 3600 * SECOND; // what ran out or was started longer ago was forgotten, or is of another evening
const TIMES = 5; // that it asks, to believe the quickest answer
const DRIFT = 1 / 5000; // what an older answer loses on a newer one
const flash = document.getElementById("flash");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const arrived = performance.getEntriesByType("navigation")[0]?.responseStart ?? performance.now();
let offset = Number(document.getElementById("page").dataset.now) - arrived; // a first guess, until asked
let trip = Infinity; // of the answer that is believed
let syncedAt = -Infinity;
let askedAt = -Infinity;
let timer = 0; // the next change of the digits
let hiding = 0;
let animations = [];
const ENDED = "companion.ended";
let ended = ""; // the end that was already announced, also to a page that is loaded again
try { ended = sessionStorage.getItem(ENDED) ?? ""; } catch { /* announced twice at worst */ }

export const serverNow = () => performance.now() + offset;
const element = () => document.getElementById("timer");

/** Ask for the time a few times and believe the quickest answer: it can be wrong by half its trip at most. */
async function sync() {
  askedAt = performance.now();
  let best = Infinity;
  let found = offset;
  for (let i = 0; i < TIMES; i++) {
    const sent = performance.now();
    try {
      const { now } = await (await fetch("/time", { cache: "no-store", signal: AbortSignal.timeout(3000) })).json();
      const took = performance.now() - sent;
      if (took < best) { best = took; found = now - (sent + took / 2); }
    } catch { break; } // what was heard before the network went still counts
  }
  if (best === Infinity) return;
  const slower = best > trip + (performance.now() - syncedAt) * DRIFT;
  const bothRight = Math.abs(found - offset) <= (best + trip) / 2; // if not, this phone slept, or the server's clock was set
  if (!slower || !bothRight) { offset = found; trip = best; syncedAt = performance.now(); }
  draw();
}

/** Milliseconds to show: what is left, or what has passed on a stopwatch. */
export function shows() {
  const { mode, until, since, left } = element().dataset;
  if (!mode) return null;
  if (left) return Number(left);
  return Math.max(0, mode === "up" ? serverNow() - Number(since) : Number(until) - serverNow());
}

function words(ms, mode) {
  const whole = mode === "up" ? Math.floor(ms / SECOND) : Math.ceil(ms / SECOND);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n) => String(n).padStart(2, "0");
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

export function draw() {
  clearTimeout(timer);
  const box = element();
  if (!box) return;
  box.shows = shows; // so that anyone can ask what this phone shows
  const { mode, left, until, since } = box.dataset;
  if (!mode) { animations = []; return; }
  if (!left && performance.now() - askedAt > AGAIN) sync();
  box.hidden = !left && serverNow() - Number(until || since) > DAY;
  if (box.hidden) return;
  const now = shows();
  const output = box.querySelector(".timer-clock");
  const over = mode === "down" && !left && now <= 0;
  const text = over ? "Time is up" : words(now, mode);
  const changed = output.textContent !== text; // the table is drawn anew for other reasons too
  if (changed) output.textContent = text;
  box.classList.toggle("over", over);
  box.classList.toggle("hurry", mode === "down" && !left && !over && now <= 5 * SECOND);
  pour(box, now);
  if (over) return void announce(until);
  if (left) return;
  if (changed && box.classList.contains("hurry")) tick();
  const toNext = mode === "up" ? SECOND - (now % SECOND) : now % SECOND || SECOND;
  timer = setTimeout(draw, Math.max(15, toNext + 2));
}

/** Sand moves by transform alone, handed to the browser once: no layout, no script per frame. */
function pour(box, now) {
  const length = Number(box.dataset.length) || 60 * SECOND;
  const up = box.dataset.mode === "up";
  const gone = up ? now % length : Math.min(length, Math.max(0, length - now));
  const parts = [[".sand-top", "translateY(0)", "translateY(26px)"], [".sand-bottom", "translateY(26px)", "translateY(0)"]];
  if (animations[0]?.effect?.target !== box.querySelector(".sand-top") || animations.length === 0) {
    animations = parts.map(([name, from, to]) => box.querySelector(name).animate([{ transform: from }, { transform: to }], { duration: length, fill: "both", iterations: up ? Infinity : 1 }));
  }
  for (const animation of animations) {
    animation.effect.updateTiming({ duration: length, iterations: up ? Infinity : 1 }); // a morph keeps the glass
    if (Math.abs((animation.currentTime ?? 0) % length - gone) > 100) animation.currentTime = gone;
    if (box.dataset.left || still.matches) { animation.pause(); animation.currentTime = gone; } else if (animation.playState !== "running" && gone < length) animation.play();
  }
  box.classList.toggle("falling", !box.dataset.left && gone < length);
}

/** Once, on every phone: sound, a buzz, light, and words. A phone that slept through it reads it without the noise. */
function announce(until) {
  if (ended === until) return;
  ended = until;
  try { sessionStorage.setItem(ENDED, until); } catch { /* see above */ }
  const late = serverNow() - Number(until);
  if (late > 30 * SECOND) return;
  flash.textContent = "Time is up";
  flash.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { flash.hidden = true; flash.textContent = ""; }, 4000);
  if (late < 3 * SECOND) alarm();
}

document.addEventListener("htmx:after:swap", draw);
still.addEventListener("change", draw);
/** The phone may have slept, or the server's clock have been set. Where no timer runs, nobody needs the time. */
function askAgain() {
  askedAt = -Infinity;
  draw();
}
document.addEventListener("htmx:sse:after:connection", askAgain);
document.addEventListener("visibilitychange", () => { if (!document.hidden) askAgain(); });
askAgain();
