// Keeps the page at the table's version: pushed changes in order, a whole redraw after a gap, and the truth in a pill.

import { isAwake } from "./awake.js";
import { onChange, pump, slowed, struggling, waiting } from "./taps.js";

const SILENCE = 25_000; // ms without a word (the server beats every ten seconds) before we call it cut off
const NET = 20_000; // ms between looks when nothing is heard
const page = document.getElementById("page");
const pill = document.getElementById("pill");
const { code, page: name } = document.body.dataset;

let shown = Number(page.dataset.version);
let heard = Date.now(); // from the stream
let looked = 0; // by asking
let connected = false;
const root = document.documentElement;
let lostAt = Number(root.dataset.kept) || Date.now(); // not live until we have heard from the server
let redrawing = false;

let drawn = shown;
/** The version that is on the screen; `shown` is ahead of it while a change is being morphed in. */
export const drawnVersion = () => drawn;
document.addEventListener("htmx:after:swap", () => { drawn = shown; }, true);

function show(next) {
  shown = next;
  page.dataset.version = next;
}

function alive() {
  heard = Date.now();
  if (!connected) { connected = true; lostAt = 0; pump(); }
  if (root.dataset.kept) { delete root.dataset.kept; document.getElementById("kept")?.remove(); }
  tell();
}

function lost() {
  if (connected || !lostAt) lostAt = Date.now();
  connected = false;
  tell();
}

document.addEventListener("htmx:sse:after:connection", alive);
document.addEventListener("htmx:sse:error", lost);
document.addEventListener("htmx:sse:close", lost);
document.addEventListener("htmx:sse:before:message", (event) => {
  alive();
  const { message } = event.detail;
  if (message.event) return; // a beat
  if (another) return void event.preventDefault(); // drawn by another edition than this page's scripts
  const [base, next] = message.id.split("-").map(Number);
  if (next <= shown) return void event.preventDefault(); // older than what this phone shows
  if (base && base !== shown) { event.preventDefault(); return void redraw(); }
  message.data = spelledOut(message.data);
  show(next);
});
page.addEventListener("beat", (event) => { if (Number(event.detail.data) > shown) redraw(); });

/** Which edition of us the server is; a page of another one is loaded anew (shell.js), and takes no drawing of it. */
let another = false;
function meet(edition) {
  another = Boolean(edition) && edition !== root.dataset.edition;
  if (another) document.dispatchEvent(new Event("shell:another"));
}
page.addEventListener("edition", (event) => meet(event.detail.data));

const forgotten = () => document.dispatchEvent(new CustomEvent("table:left", { detail: { forgotten: true } }));
page.addEventListener("forgotten", forgotten);

/** Most changes morph an element into what it is now, so that goes without saying on the way. */
const spelledOut = (text) => text
  .replaceAll(/<hx-set id="([\w-]+)" ((?:[\w-]+(?:="[^"]*"|='[^']*')? ?)+)>/g, inFull)
  .replaceAll(/<hx-partial id="([\w-]+)">/g, '<hx-partial id="$1" hx-swap="outerMorph">');

/** Where only attributes are different, only those are on the way: the rest is on this page. */
function inFull(sent, id, attributes) {
  const now = document.getElementById(id)?.cloneNode(true);
  const given = document.createElement("template");
  given.innerHTML = `<i ${attributes}></i>`;
  for (const { name, value } of given.content.firstChild.attributes) now?.setAttribute(name, value);
  return now ? `<hx-partial id="${id}">${now.outerHTML}</hx-partial>` : "";
}

/** Everything as it is now; nothing if this phone missed nothing. */
export async function redraw() {
  if (redrawing) return;
  redrawing = true;
  try {
    const response = await fetch(`/s/${code}/parts/${name}?version=${shown}`, { signal: AbortSignal.timeout(8000), headers: { Accept: "text/html" } });
    if (response.status === 403) return void document.dispatchEvent(new Event("table:left"));
    if (response.status === 404) return void forgotten();
    if (response.status === 409) return void location.reload(); // the table is closed, and its page says why
    if (!response.ok) return void lost();
    meet(response.headers.get("X-Edition"));
    if (another) return;
    const next = Number(response.headers.get("X-Version"));
    const text = response.status === 204 ? "" : await response.text();
    if (text && next > shown) {
      show(next);
      await htmx.swap({ text: spelledOut(text), sourceElement: page, target: page, swap: "none" });
    }
    looked = Date.now();
    tell();
  } catch {
    lost();
  } finally {
    redrawing = false;
  }
}

/** A phone that was sent away does not go on asking. */
let left = false;
document.addEventListener("table:left", () => {
  left = true;
  page._htmx?.sse?.abortController?.abort();
  tell();
});
document.addEventListener("htmx:sse:before:connection", (event) => { if (left) event.preventDefault(); });

/** After sleep, a lost network or a dead server: fetch first, since that is fastest, then listen again. */
export async function comeBack() {
  if (left) return;
  await redraw();
  if (!page._htmx?.sse) htmx.trigger(page, "reconnect");
}

document.addEventListener("visibilitychange", () => { if (!document.hidden) comeBack(); });
addEventListener("pageshow", (event) => { if (event.persisted) comeBack(); });
addEventListener("online", comeBack);
addEventListener("offline", lost);
setInterval(() => {
  if (document.hidden) return;
  const quiet = Date.now() - heard;
  if (quiet > SILENCE) {
    lost();
    page._htmx?.sse?.reader?.cancel(); // it died without a word; htmx opens a new one
  }
  if (Date.now() - Math.max(heard, looked) > NET || !connected) comeBack();
}, 3000);

/** Taps that were answered but are not drawn yet are fetched if the stream does not bring them at once. */
document.addEventListener("tap:answered", ({ detail: { answer } }) => {
  if (answer.version > shown) setTimeout(() => { if (answer.version > shown) redraw(); }, 250);
});

// --- the pill ---

const unsent = (taps) => `${taps} ${taps === 1 ? "tap" : "taps"} to send`;

function tell() {
  const taps = waiting().length;
  const seconds = lostAt ? Math.floor((Date.now() - lostAt) / 1000) : 0;
  if (left) return write("left", "not at this table");
  let state = connected ? "live" : "joining";
  let words = !connected ? "connecting" : isAwake() ? "live" : "live, screen may dim";
  if (!connected && seconds >= 2) {
    state = "stale";
    words = `offline for ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    if (taps) words += `, ${unsent(taps)}`;
  } else if (taps && (struggling() || Date.now() - waiting()[0].at > 700)) {
    state = "waiting";
    words = `${unsent(taps)}${slowed() ? ", not so fast" : ""}`;
  }
  write(state, words);
  pill.title = isAwake() ? "This screen stays on" : "This screen may turn itself off; the table goes on without it";
}
function write(state, words) {
  if (pill.textContent !== words) pill.textContent = words;
  pill.dataset.state = state;
}
onChange(tell);
setInterval(tell, 1000);
if (root.dataset.kept) tell();
