// The table as this phone sees it is kept on it, so that it opens like that while the server is away. The server is not
// asked for it: what is on the screen was drawn by it. Where a browser keeps nothing, on plain http, nothing happens here.

import { serverNow } from "./timer.js";

const CALM = 1500; // ms that are kept together
const LATER = 6000; // ms: the table itself goes first
const workers = isSecureContext ? navigator.serviceWorker : undefined;
const { page: name } = document.body.dataset;
const tell = (message) => workers?.controller?.postMessage(message);
let timer = 0;
let left = false;

/** The page without what is only for this moment: open sheets, words in passing, marks of other scripts. */
function drawn() {
  const copy = document.documentElement.cloneNode(true);
  const all = (which, change) => copy.querySelectorAll(which).forEach(change);
  copy.removeAttribute("data-kept");
  all("#kept, .awake, #lesson-past", (each) => each.remove());
  all("dialog", (each) => each.removeAttribute("open"));
  all("#toasts, #said, #sheet-body, #flash, #rules-found, #rules-elsewhere", (each) => each.replaceChildren());
  all("#pill", (each) => { each.textContent = "…"; each.removeAttribute("data-state"); }); // whoever opens it is not live
  all("#toasts", (each) => each.removeAttribute("popover"));
  for (const mark of ["data-htmx-powered", "data-moved", "data-held"]) all(`[${mark}]`, (each) => each.removeAttribute(mark));
  all(".settling, .htmx-request", (each) => each.classList.remove("settling", "htmx-request"));
  const main = copy.querySelector("#page");
  main.dataset.now = Math.round(serverNow());
  main.setAttribute("hx-sse:connect", main.getAttribute("hx-sse:connect").replace(/version=\d+/, `version=${main.dataset.version}`));
  return `<!doctype html>\n${copy.outerHTML}`;
}

function keep() {
  clearTimeout(timer);
  timer = 0;
  if (left || !workers?.controller || document.documentElement.dataset.kept) return; // as it was kept, it is kept
  tell({ path: location.pathname, html: drawn(), edition: document.documentElement.dataset.edition });
}
const soon = () => { timer ||= setTimeout(keep, CALM); };

if (workers && (name === "table" || name === "display")) {
  document.addEventListener("htmx:after:swap", soon);
  document.addEventListener("visibilitychange", () => { if (document.hidden && timer) keep(); });
  addEventListener("pagehide", () => { if (timer) keep(); });
  workers.addEventListener("controllerchange", soon);
  setTimeout(() => {
    const slug = document.getElementById("rules")?.dataset.slug;
    tell({ fetched: ["/", "/rules", ...(slug ? [`/rules/${slug}`] : [])] }); // where this table is among one's own now
  }, LATER);
  soon();
}
document.addEventListener("table:left", () => { left = true; tell({ gone: `/s/${document.body.dataset.code}` }); });
