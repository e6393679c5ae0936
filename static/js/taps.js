// A tap is never lost and never doubled. It gets its id when the finger lifts, is kept in localStorage, is sent in
// order, one at a time, and is forgotten only when the server has answered for that very id.

const code = document.body.dataset.code;
const KEY = `companion.taps.${code}`;
const ANSWER = `companion.answer.${code}`; // the last one, for another tab of this phone that waits for it
const PATIENCE = 10_000; // ms for one answer; then the same tap is sent again under the same id
const PAUSES = [300, 700, 1500, 3000]; // ms between tries

let unkept = []; // where storage is forbidden, taps live as long as the page
const answers = new Map(); // id → what to call with the answer
const listeners = new Set();
let sending = false;
let tries = 0;
let timer = 0;
let slower = false; // the server asked this phone to wait: it taps faster than anybody could

const read = () => { try { return JSON.parse(localStorage.getItem(KEY)) || []; } catch { return unkept; } };
const write = (taps) => {
  unkept = taps;
  try { localStorage.setItem(KEY, JSON.stringify(taps)); } catch { /* see unkept */ }
  for (const listener of listeners) listener();
};

export const waiting = read;
export const onChange = (listener) => listeners.add(listener);

// randomUUID needs https; tables are on plain http
export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

/** Queue a tap. `about` is what the page wants to remember of it. Resolves with {version} or {refused}. */
export function tap(url, fields, about = {}) {
  const id = newId();
  const body = new URLSearchParams(fields);
  body.set("tap", id);
  return new Promise((resolve) => {
    answers.set(id, resolve);
    write([...read(), { id, url, body: body.toString(), about, at: Date.now() }]);
    pump();
  });
}

export async function pump() {
  if (sending) return;
  sending = true;
  clearTimeout(timer);
  try {
    for (let next = read()[0]; next; next = read()[0]) {
      const answer = await send(next);
      slower = Boolean(answer.slower);
      if (answer.again) {
        timer = setTimeout(pump, answer.after ?? PAUSES[Math.min(tries, PAUSES.length - 1)]);
        tries += 1;
        return;
      }
      tries = 0;
      settle(next, answer);
    }
  } finally {
    sending = false;
    for (const listener of listeners) listener();
  }
}

function settle(done, answer) {
  if (!read().some((each) => each.id === done.id)) return; // another tab was quicker
  try { localStorage.setItem(ANSWER, JSON.stringify({ done, answer })); } catch { /* then there is nothing to share */ }
  // tell before forgetting, so that the number on screen never steps back between the two
  tellAnswer(done, answer);
  write(read().filter((each) => each.id !== done.id));
}

function tellAnswer(done, answer) {
  document.dispatchEvent(new CustomEvent("tap:answered", { detail: { tap: done, answer } }));
  answers.get(done.id)?.(answer);
  answers.delete(done.id);
}

/** Two tabs of one phone have one queue. Whichever sends a tap, both hear of it; one may have been closed meanwhile. */
addEventListener("storage", ({ key, newValue }) => {
  if (key === ANSWER && newValue) {
    const { done, answer } = JSON.parse(newValue);
    tellAnswer(done, answer);
  }
  if (key !== KEY) return;
  for (const listener of listeners) listener();
  if (!sending && read().length) { clearTimeout(timer); timer = setTimeout(pump, PAUSES.at(-1)); }
});

async function send(next) {
  try {
    const response = await fetch(next.url, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "application/json" },
      body: next.body,
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (response.status >= 500 || response.status === 429) {
      const after = Number(response.headers.get("Retry-After")) * 1000 || undefined;
      return { again: true, after, slower: response.status === 429 };
    }
    const said = await response.json(); // a hotel's log-in page is no answer
    if (response.status === 201 && said.tap === next.id) return { version: said.version };
    return said.refused ? { refused: said.refused } : { again: true };
  } catch {
    return { again: true };
  }
}

/** How long we have been trying in vain; 0 when nothing is stuck. */
export const struggling = () => tries;
export const slowed = () => slower;

const hurry = () => { tries = 0; pump(); };
addEventListener("online", hurry);
addEventListener("pageshow", hurry);
document.addEventListener("visibilitychange", () => { if (!document.hidden) hurry(); });
