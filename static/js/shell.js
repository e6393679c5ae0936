// Over https, and on the server's own machine, a phone keeps us: on its home screen, and to open while the server is away.
// Plain http has none of this, and nobody hears of it.

const root = document.documentElement;
const mine = root.dataset.edition;
const workers = isSecureContext ? navigator.serviceWorker : undefined;
const LOOK = 3000; // ms
const SOON = 300; // ms between looks whether somebody is busy
const AGAIN = 10_000; // ms; a page that was just loaded anew is not loaded anew for the same reason

// --- another edition takes the place of this one, when nobody is in the middle of something ---

const changed = (each) => (each.type === "radio" || each.type === "checkbox" ? each.checked !== each.defaultChecked : each.type !== "hidden" && each.value !== each.defaultValue);
const busy = () => Boolean(document.querySelector("dialog[open], [popover]:not(#toasts):popover-open")) || [...document.querySelectorAll("input, textarea")].some((each) => each.checkVisibility() && changed(each));
const whenCalm = (go) => (busy() ? void setTimeout(whenCalm, SOON, go) : go());

let renewing = false;
function renew() {
  if (renewing) return;
  renewing = true;
  let last = 0;
  try { last = Number(sessionStorage.getItem("companion.renewed")); sessionStorage.setItem("companion.renewed", String(Date.now())); } catch { /* then it may be twice */ }
  setTimeout(whenCalm, Math.max(0, last + AGAIN - Date.now()), () => location.reload());
}
document.addEventListener("shell:another", renew); // the server itself is another one now

if (workers) {
  workers.addEventListener("message", ({ data }) => { if (data.edition && data.edition !== mine) renew(); });
  workers.register("/shell.js", { updateViaCache: "none" }).then((registered) => {
    const offer = (worker) => { if (worker?.state === "installed" && workers.controller) whenCalm(() => worker.postMessage({ take: true })); };
    offer(registered.waiting);
    registered.addEventListener("updatefound", () => { const next = registered.installing; next.addEventListener("statechange", () => offer(next)); });
  }).catch(() => { /* a browser that keeps nothing */ });
}

// --- as it was last seen: says so, and looks whether the server is back ---

const seen = Number(root.dataset.kept);
const away = "away" in document.body.dataset;
const atTable = Boolean(document.body.dataset.code); // there the stream knows when
if (seen) {
  const time = new Date(seen).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const day = Date.now() - seen > 12 * 3600_000 ? ` on ${new Date(seen).toLocaleDateString()}` : "";
  const meanwhile = atTable ? `; taps wait here${document.getElementById("rules") ? ", rules answer" : ""}` : "";
  const words = `As this phone last saw it, at ${time}${day}. The server is away${meanwhile}.`;
  document.querySelector("main").prepend(Object.assign(document.createElement("p"), { id: "kept", className: "sentence", textContent: words }));
  document.getElementById("kept").setAttribute("role", "status");
  const up = () => { if (scrollY < 120) scrollTo(0, 0); }; // else what was put above would lie above the screen
  addEventListener("load", () => requestAnimationFrame(up));
}
if (away) {
  const table = location.pathname.match(/^\/[js]\/(\w{6})\b/);
  const link = document.getElementById("to-table");
  if (table && link) { link.href = `/s/${table[1]}`; link.hidden = false; }
}
const again = () => (location.pathname === "/offline" ? location.assign("/") : location.reload());
if ((seen && !atTable) || away) {
  setInterval(async () => {
    try { if ((await fetch("/time", { cache: "no-store", signal: AbortSignal.timeout(LOOK) })).ok) whenCalm(again); } catch { /* still away */ }
  }, LOOK);
}

// --- onto the home screen, where a browser offers to ---

addEventListener("beforeinstallprompt", (event) => {
  const button = document.getElementById("install");
  if (!button) return;
  event.preventDefault();
  button.hidden = false;
  button.onclick = () => { button.hidden = true; event.prompt(); };
});
