// Rules at the table. The rulings of this game are fetched once and then answer by themselves, also without a server.

import { Index, answerOf, heading, opened } from "./look-up.js";
import { tap } from "./taps.js";

const LATER = 6000; // ms: as long as the table itself, they do not come in its way
const sheet = document.getElementById("rules");
const code = document.body.dataset.code;
const kept = sheet && `companion.rulings.${sheet.dataset.slug}`;
let rulebook = null; // the rulings, once somebody has asked for one
let index = null; // and how they are searched, once somebody has asked a question: that takes a phone a while
let loading = null; // one fetch at a time, however often it is asked for

/** The rulings as they were sent. To read them takes as long as all the rest of the page, so that waits. */
function fetched() {
  loading ??= fetchRulings().then((text) => { if (!text) loading = null; return text; });
  return loading;
}

async function fetchRulings() {
  try {
    const answer = await fetch(`/games/${sheet.dataset.slug}/rulings.json`, { signal: AbortSignal.timeout(8000) });
    if (!answer.ok) throw new Error(answer.status);
    const text = await answer.text();
    try { if (localStorage.getItem(kept) !== text) localStorage.setItem(kept, text); } catch { /* then only as long as this page is open */ }
    return text;
  } catch {
    try { return localStorage.getItem(kept); } catch { return null; /* none yet */ }
  }
}

async function load() {
  if (rulebook || !sheet) return;
  try { rulebook = opened(await fetched()); } catch { loading = null; /* cut off, or not ours */ }
}

const make = (tag, props = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...children);
  return element;
};

if (sheet) {
  const field = document.getElementById("rules-question");
  const found = document.getElementById("rules-found");
  const elsewhere = document.getElementById("rules-elsewhere");
  const search = document.getElementById("rules-search");
  const card = document.getElementById("ruling");
  const seen = []; // so that "back" goes back through what was read
  let asking = 0;

  const chosen = () => JSON.parse(document.getElementById("ask")?.dataset.chosen || "{}");
  const line = (ruling, words = answerOf(ruling, rulebook, chosen())) => {
    const source = words ? [make("small", { textContent: `${rulebook.statuses[ruling.status]}: ${ruling.source}` })] : [];
    const button = make("button", { type: "button", className: "answer-line" }, make("b", { textContent: ruling.title }), make("span", { textContent: words }), ...source);
    button.dataset.ruling = ruling.id;
    return make("li", {}, button);
  };

  const list = (title, some) => (some.length ? [make("h3", { textContent: title }), make("ol", { className: "answers" }, ...some.map((each) => line(each)))] : []);
  /** Here and now, but for what depends on a thing that may not be in play. */
  const wrong = (besides) => rulebook.rulings.filter((each) => each.trap && !each.about && !besides.includes(each)
    && each.phases?.some((at) => at.split(":")[0] === document.getElementById("ask").dataset.phase));

  /** Without a question: what people ask in this step, as the page has it. */
  function answer() {
    const question = field.value.trim();
    elsewhere.replaceChildren();
    clearTimeout(asking);
    if (!rulebook) {
      load().then(() => rulebook && answer()); // whoever asks need not ask again once they are here
      return void found.replaceChildren(make("p", { className: "nothing-found", textContent: "The rulings are not on this phone yet; they come with the next connection." }));
    }
    if (!question) {
      const here = [...document.querySelectorAll("#ask [data-ruling]")].map(({ dataset }) => rulebook.rulings.find((each) => each.id === dataset.ruling)).filter(Boolean);
      return void found.replaceChildren(...list("Asked here", here), ...list("Often played wrong", wrong(here)));
    }
    index ??= new Index(rulebook);
    const answers = index.search(question, 6);
    const above = heading(answers) ? [make("p", { className: "nothing-found", textContent: heading(answers) })] : [];
    if (answers.length) found.replaceChildren(...above, make("ol", { className: "answers" }, ...answers.map(({ ruling, equal }, at) => Object.assign(line(ruling), { className: at && !equal ? "" : "whole" }))));
    else found.replaceChildren(make("p", { className: "nothing-found", textContent: `No ruling of ${rulebook.title} answers that. Try other words, or browse by topic.` }), ...near(question));
    asking = setTimeout(() => others(question), 350);
  }

  /** Honest about finding nothing, but not unhelpful: topics that share a word with the question. */
  function near(question) {
    const stems = new Set(index.words(question).filter((word) => !index.idle.has(word)));
    const topics = [...new Set(index.rulings.filter((each) => index.words(`${each.topic ?? ""} ${each.title}`).some((word) => stems.has(word))).map((each) => each.topic))].filter(Boolean);
    const named = topics.length ? topics.slice(0, 4) : [...new Set(index.rulings.map((each) => each.topic))].filter(Boolean).slice(0, 4);
    return [make("p", { className: "near" }, "Nearest topics: ", ...named.map((topic) => Object.assign(make("button", { type: "button", className: "chip-button", textContent: topic }), { onclick: () => browse(topic) })))];
  }

  function browse(topic) {
    found.replaceChildren(make("h3", { textContent: topic }), make("ol", { className: "answers" }, ...rulebook.rulings.filter((each) => each.topic === topic).map((each) => line(each))));
  }

  async function others(question) {
    try {
      const response = await fetch(`/rules/answers?others&game=${sheet.dataset.slug}&q=${encodeURIComponent(question)}`, { signal: AbortSignal.timeout(4000) });
      const html = response.ok ? await response.text() : "";
      if (field.value.trim() === question) elsewhere.innerHTML = html; // ours, and under our CSP
    } catch { /* the server is away: this game's own rulings are here */ }
  }

  function open(id, back = true) {
    const ruling = rulebook?.rulings.find((each) => each.id === id);
    if (!ruling) return;
    if (back && seen.at(-1) !== id) seen.push(id);
    if (!sheet.matches(":popover-open")) sheet.showPopover();
    search.hidden = true;
    card.hidden = false;
    card.dataset.id = id;
    card.querySelector(".ruling-title").textContent = ruling.title;
    
    card.querySelector(".how-sure").dataset.status = ruling.status;
    card.querySelector(".how-sure b").textContent = rulebook.statuses[ruling.status];
    card.querySelector(".how-sure span").textContent = ruling.source;
    const more = card.querySelector(".more");
    more.textContent = ruling.more ?? "";
    more.hidden = !ruling.more;
    card.querySelector("[data-link]").href = `/rules/${sheet.dataset.slug}/${id}`;
    const related = (ruling.related ?? []).map((each) => rulebook.rulings.find((other) => other.id === each)).filter(Boolean);
    card.querySelector(".related").hidden = !related.length;
    card.querySelector(".related ul").replaceChildren(...related.map((each) => line(each, "")));
    readings(ruling);
    card.focus({ preventScroll: true });
    sheet.scrollTop = 0;
  }

  /** Where the manual is unclear: both readings, which one is usual, which one holds here; a tap chooses. */
  function readings(ruling) {
    const rule = rulebook.house_rules.find((each) => each.id === ruling.house_rule);
    const box = card.querySelector(".readings");
    card.querySelector(".answer").textContent = answerOf(ruling, rulebook, chosen());
    box.hidden = !rule;
    if (!rule) return;
    const holds = chosen()[rule.id] ?? rule.default;
    box.querySelector(".readings-why").textContent = `${rule.question} ${rule.why}`;
    box.querySelector(".readings-choices").replaceChildren(...rule.choices.map(([id, text]) => {
      const button = make("button", { type: "button", className: "rule", textContent: id === rule.default ? `${text} (usual)` : text });
      button.setAttribute("aria-pressed", String(id === holds));
      button.addEventListener("click", () => send("choose_rule", { rule: rule.id, choice: id }));
      return button;
    }));
  }

  async function send(command, fields) {
    const answered = await tap(`/s/${code}/do/${command}`, fields);
    if (answered.refused) document.dispatchEvent(new CustomEvent("table:say", { detail: { text: answered.refused } }));
    return answered;
  }

  const toSearch = () => { card.hidden = true; search.hidden = false; };
  field.addEventListener("input", answer);
  sheet.addEventListener("toggle", async (event) => {
    if (event.newState !== "open") { seen.length = 0; field.value = ""; return void toSearch(); }
    await load();
    if (card.hidden) answer();
  });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-ruling]:is(button)");
    if (button) { await load(); open(button.dataset.ruling); }
    if (event.target.closest?.("[data-back-to-search]")) { seen.pop(); if (seen.length) open(seen.at(-1), false); else { toSearch(); answer(); } }
    if (event.target.closest?.("[data-show-ruling]")) { sheet.hidePopover(); send("show_ruling", { ruling: card.dataset.id }); }
  });
  document.addEventListener("htmx:after:swap", () => {
    const ruling = !card.hidden && rulebook?.rulings.find((each) => each.id === card.dataset.id);
    if (ruling) readings(ruling); // somebody may have chosen
    mark();
  });
  function mark() {
    const button = document.querySelector(".bar-rules");
    const trap = Boolean(document.querySelector("#ask[data-trap], #ask .trap"));
    button?.toggleAttribute("data-trap", trap);
    if (button) button.title = trap ? "Something here is often played wrong" : "";
  }
  mark();
  const bring = () => fetched().then((text) => text || setTimeout(bring, LATER));
  setTimeout(bring, LATER); // so that they are here when the server is not
}

// --- a ruling that was shown to the table: closed on one phone it stays closed there, until another is shown ---

let dismissed = 0;
function cover() {
  const box = document.getElementById("shown_ruling");
  if (box) box.toggleAttribute("data-dismissed", Number(box.dataset.number) === dismissed);
}
document.addEventListener("click", (event) => {
  const box = event.target.closest?.("[data-dismiss]")?.closest("#shown_ruling");
  if (box) { dismissed = Number(box.dataset.number); cover(); }
});
document.addEventListener("htmx:after:swap", cover);
