// What somebody does who has never played: presses what a phone offers, reads each card that comes, and notices
// whatever moves without their doing. Runs before any script of ours.

const one = (selector, inside = document) => inside.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];
const here = (each) => each.checkVisibility({ visibilityProperty: true });
const card = () => one("#lesson > [data-yours]");
const cardId = () => JSON.parse(one("[aria-label='Got it']", card() ?? document.createElement("p"))?.dataset.args ?? "{}").lesson ?? "";

const PATIENCE = 20_000; // ms
const until = (holds) => new Promise((done, fail) => {
  const end = performance.now() + PATIENCE;
  const look = () => (holds() ? done() : performance.now() > end ? fail(new Error(`in vain: ${holds}`)) : setTimeout(look, 8));
  look();
});
const answered = () => new Promise((done, fail) => {
  document.addEventListener("tap:answered", ({ detail }) => done(detail), { once: true });
  setTimeout(() => fail(new Error("no answer; or nothing was sent")), PATIENCE);
});

// --- what is drawn, and what jumps by another's tap: where the board stands, less what comes above it beside lessons ---

const THUMB = 8; // px that nobody notices under it
let drawn = 0;
let own = true;
window.jumps = [];

function stands() {
  const top = one("#phase")?.getBoundingClientRect().top ?? 0; // not every page has one
  const above = all("#page > :not(#lesson, #lesson-past, #phase)").filter((each) => here(each) && each.getBoundingClientRect().top < top);
  const gap = parseFloat(getComputedStyle(one("#page")).rowGap) || 0;
  return top - above.reduce((sum, each) => sum + each.offsetHeight + gap, 0);
}
const outcome = () => one("#verdict")?.dataset.outcome; // the end of a game comes up by itself
/** A page that was fetched as a whole does not say when it is drawn. */
const upTo = async (version) => {
  await until(() => Number(one("#page").dataset.version) >= version);
  const late = performance.now() + 300;
  await until(() => drawn >= version || performance.now() > late);
};
let before = { at: 0, card: "", outcome: "" };
addEventListener("htmx:before:swap", () => { before = { at: stands(), card: cardId(), outcome: outcome() }; });
addEventListener("htmx:after:swap", () => {
  drawn = Number(one("#page").dataset.version);
  const by = Math.round(stands() - before.at);
  if (!own && Math.abs(by) > THUMB && before.outcome === outcome()) jumps.push(`${by} px, from “${before.card}” to “${cardId()}”`);
});

// --- a finger ---

function press(each) {
  if (!each || !here(each)) throw new Error(`out of sight: ${each?.outerHTML.slice(0, 200)}`);
  each.click();
}

/** Folds and trays that it lies in are opened, from the outside in. */
function uncover(each) {
  const around = [];
  for (let at = each.parentElement; at; at = at.parentElement) around.unshift(at);
  for (const at of around) {
    if (at.matches("details:not([open])")) press(one("summary", at));
    if (at.popover && !here(at)) press(all(`[data-opens="${at.id}"]`).find(here));
  }
}

/** Whether a tap says just this; what it says besides is its own business. */
function says(each, given) {
  const args = JSON.parse(each.dataset.args || "{}"), counts = each.classList.contains("counter");
  const same = Object.entries(args).every(([name, value]) => !(name in given) || String(given[name]) === String(value));
  return same && Object.keys(given).every((name) => name in args || name === "pick" || (counts && name === "by"));
}

function count(counter, by) {
  press(one("[data-keypad]", counter));
  for (const key of String(by).replace("-", "−")) press(one(`#keypad [data-key="${key}"]`));
  press(one("#keypad [data-add]"));
}

async function fillIn(id, given) {
  press(all(`[data-opens="${id}"], [hx-get$="/form/${id}"]`).find(here));
  const form = () => one("#sheet form[data-tap]");
  await until(form);
  for (const [name, value] of Object.entries(given)) {
    const tile = [...form().querySelectorAll(`[name="${name}"]`)].find((each) => each.type === "radio" && each.value === String(value));
    const field = form().elements[name];
    if (tile) tile.click();
    else if (field && field.type !== "hidden") field.value = value;
  }
  press(one("button.strong", form()));
}

/** Gives what was sent, or why it could not be. */
window.newcomerTaps = async (command, given, form) => {
  const found = all(`[data-do$="/do/${command}"]`).filter((each) => says(each, given));
  const tap = found.find(here) ?? found[0];
  if (!tap && !form) return { why: "nothing on this phone says that" };
  own = true;
  const sent = answered();
  if (tap) uncover(tap);
  const soon = performance.now() + 3000; // a phone may have heard the time only now
  if (tap) await until(() => here(tap) || performance.now() > soon);
  if (!tap) await fillIn(form, given);
  else if (tap.classList.contains("counter")) count(tap, given.by);
  else press(tap);
  if (one("#confirm").open) press(one("#confirm [data-yes]"));
  const { tap: queued, answer } = await sent;
  if (!answer.refused) await upTo(answer.version);
  one("[popover]:not(#toasts):popover-open")?.hidePopover();
  own = false;
  return { why: answer.refused ?? "", sent: Object.fromEntries(new URLSearchParams(queued.body)), version: answer.version };
};

/** What a tap on another's phone would say; this one draws it too, or does not know of it. */
window.newcomerFinds = (command, given) => {
  const tap = all(`[data-do$="/do/${command}"]`).find((each) => says(each, given));
  return tap ? JSON.parse(tap.dataset.args || "{}") : null;
};

// --- and eyes ---

/** Buttons under the card: there may be none. */
function covered() {
  const lies = (each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    return card().contains(document.elementFromPoint(left + width / 2, top + height / 2));
  };
  return all("button, summary, a[href]").filter((each) => !card().contains(each) && here(each) && lies(each)).map(({ id }) => id);
}

const wordsOf = (each) => [...each.querySelectorAll("h2, p, span")].map(({ textContent }) => textContent.trim());
const idOf = (each) => JSON.parse(one("[aria-label='Got it']", each).dataset.args).lesson;

/** Each card that is there, one after another, once this version is drawn; each is put away as a thumb would.
 * And those that are for other phones. */
window.newcomerReads = async (version, most = Infinity) => {
  await upTo(version);
  const read = [];
  while (card() && read.length < most) {
    scrollTo(0, 0); // there it is
    const id = cardId();
    read.push({ id, words: wordsOf(card()), covered: covered() });
    own = true;
    const sent = answered();
    one("[aria-label='Got it']", card()).click();
    await sent;
    await until(() => cardId() !== id);
    own = false;
  }
  own = false;
  const others = all("#lesson > [data-phone]:not([data-yours])");
  return { read, others: Object.fromEntries(others.map((each) => [each.dataset.phone, { id: idOf(each), words: wordsOf(each) }])) };
};
