// The rules pages while the server is away: what this phone keeps answers, or it says that it cannot.

import { Index, answerOf, heading, opened } from "./look-up.js";

const KEPT = "companion.rulings.";
const made = new Map(); // one index for each game: to make it takes a phone a while

/** The games whose rulings are on this phone: the one that is asked about, or all of them. */
function indexes(slug) {
  const slugs = slug ? [slug] : Object.keys(localStorage).filter((key) => key.startsWith(KEPT)).map((key) => key.slice(KEPT.length));
  for (const each of slugs) {
    try { if (!made.has(each) && localStorage.getItem(KEPT + each)) made.set(each, new Index(opened(localStorage.getItem(KEPT + each)))); } catch { /* from other days: then not this one */ }
  }
  return slugs.filter((each) => made.has(each)).map((each) => [each, made.get(each)]);
}

const say = (text) => Object.assign(document.createElement("p"), { className: "nothing-found", textContent: text });

function line([slug, index], { ruling }) {
  const link = Object.assign(document.createElement("a"), { href: `/rules/${slug}/${ruling.id}` });
  const part = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
  link.append(part("b", ruling.title), part("span", answerOf(ruling, index.rulebook)), part("small", `${index.rulebook.title} · ${index.rulebook.statuses[ruling.status]}: ${ruling.source}`));
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function answer(field, found) {
  const question = field.value.trim();
  const here = indexes(field.dataset.slug);
  if (!question) return found.replaceChildren();
  if (!here.length) return found.replaceChildren(say("The server is away, and these rulings are not on this phone. Ask again when it is back."));
  const answers = here.flatMap((each) => each[1].search(question, 8).map((one) => [each, one])).sort((a, b) => b[1].score - a[1].score).slice(0, 8);
  if (!answers.length) return found.replaceChildren(say("The server is away, and nothing on this phone answers that."));
  const list = Object.assign(document.createElement("ol"), { className: "answers" });
  list.append(...answers.map(([each, one], at) => Object.assign(line(each, one), { className: at && !one.equal ? "" : "whole" })));
  const words = heading(answers.map(([, one]) => one));
  found.replaceChildren(say(`The server is away: from what is on this phone.${words ? ` ${words}` : ""}`), list);
}

document.addEventListener("htmx:error", () => {
  const field = document.querySelector(".rules-question");
  const found = document.getElementById("found");
  if (field && found) answer(field, found);
});

/** The page of one ruling, in whose place this one was opened. */
function drawRuling([, slug, id]) {
  const rulebook = opened(localStorage.getItem(KEPT + slug));
  const ruling = rulebook?.rulings.find((each) => each.id === id);
  if (!ruling) return;
  const list = Object.assign(document.createElement("ol"), { className: "answers" });
  list.append(Object.assign(line([slug, { rulebook }], { ruling }), { className: "whole" }));
  document.getElementById("found").replaceChildren(say("From what is on this phone:"), list);
}
const address = "away" in document.body.dataset && location.pathname.match(/^\/rules\/([\w-]+)\/([\w-]+)$/);
if (address) try { drawRuling(address); } catch { /* from other days */ }
