// What everyone at the table is told of, wherever they look: who hosts from now on, and a house rule that is another one.

const say = (text) => document.dispatchEvent(new CustomEvent("table:say", { detail: { text } }));
const me = document.body.dataset.me;

/** Each question with the reading that this table has chosen. */
const rules = () => new Map([...document.querySelectorAll("#house-rules dt")].map((question) => [
  question.firstChild.textContent.trim(), question.nextElementSibling.querySelector("[aria-pressed=true]")?.textContent.trim()]));

let { host } = document.getElementById("roster").dataset;
let known = rules();

document.addEventListener("htmx:after:swap", () => {
  const now = document.getElementById("roster").dataset;
  if (now.host !== host) say(now.host === me ? "You are the host now." : `${now.hostName} is the host now.`);
  host = now.host;
  const chosen = rules();
  for (const [question, reading] of chosen) if (known.has(question) && known.get(question) !== reading) say(`House rule: ${question} Now: ${reading}`);
  known = chosen;
});
