// What opens us while the server is away. It is one edition of the app, whole: its files by the versions in their names,
// and the pages that were drawn with them. Another edition comes as a whole too, and takes this one's place at once.

const NAME = `companion-${EDITION}`;
const KEPT = /^\/(?:s\/\w{6}(?:\/display)?|rules(?:\/[\w-]+)?)?$/; // the shelf, the tables one is at, the rules
const PATIENCE = 4000; // ms for a page that is here as well: a laptop that sleeps does not even say no
const TABLES = 12; // that are kept; an older one than these is nobody's evening any more

addEventListener("install", (event) => {
  // What phones do all evening goes past us, without waking us. Not every browser knows how; there we let it pass.
  try {
    const past = ["/s/*/do/*", "/s/*/live/*", "/s/*/parts/*", "/time"].map((pathname) => ({ urlPattern: new URLPattern({ pathname }) }));
    event.addRoutes({ condition: { or: past }, source: "network" }).catch(() => { /* see above */ });
  } catch { /* see above */ }
  event.waitUntil(fill());
});

/** All files or none; the pages that the edition before us kept, as they are now. */
async function fill() {
  const names = (await caches.keys()).filter((name) => name.startsWith("companion-") && name !== NAME);
  const before = (await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))).flat().map(({ url }) => new URL(url).pathname);
  await (await caches.open(NAME)).addAll([...FILES, "/offline"]);
  for (const path of new Set(["/", ...before.filter((each) => KEPT.test(each))])) await fetchToKeep(path);
}

addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("companion-") && name !== NAME) await caches.delete(name);
  await registration.navigationPreload?.enable();
  await clients.claim();
  for (const page of await clients.matchAll()) page.postMessage({ edition: EDITION });
})()));

addEventListener("message", (event) => event.waitUntil(heed(event.data)));
async function heed({ take, path, html, edition, gone, fetched = [] }) {
  if (take) await skipWaiting();
  if (html) await keep(path, { html, edition });
  if (gone) await forget(gone);
  for (const each of fetched) await fetchToKeep(each);
}

addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== location.origin) return;
  if (event.request.mode === "navigate") event.respondWith(page(event, url));
  else if (event.request.method === "GET" && url.pathname.startsWith("/f/")) event.respondWith(file(event.request));
});

/** In the version that is in its name, or not at all. */
async function file(request) {
  const here = await caches.match(request, { cacheName: NAME });
  if (here) return here;
  const answer = await fetch(request);
  return answer.headers.get("Cache-Control") === "no-cache" ? Response.error() : answer;
}

// --- pages: from the server, as long as it answers ---

async function page(event, { pathname, search }) {
  const known = KEPT.test(pathname) && !search && event.request.method === "GET";
  const kept = known ? await caches.match(pathname, { cacheName: NAME }) : undefined;
  const answer = ask(event).then((given) => { if (known) event.waitUntil(remember(pathname, given.clone())); return given; });
  if (!kept) return answer.catch(() => caches.match("/offline", { cacheName: NAME }));
  const late = new Promise((_, no) => { setTimeout(no, PATIENCE); });
  return Promise.race([answer, late]).catch(() => asSeen(kept));
}

async function ask(event) {
  const answer = (await event.preloadResponse) ?? (await fetch(event.request));
  if (answer.status === 502 || answer.status === 504) throw new Error("only a proxy is there");
  return answer;
}

async function remember(path, answer) {
  if (answer.type === "opaqueredirect" || [403, 404, 409].includes(answer.status)) return forget(path); // not ours any more
  if (answer.ok) await keep(path, { html: await answer.text(), edition: answer.headers.get("X-Edition") });
}

async function fetchToKeep(path) {
  try { await remember(path, await fetch(path, { redirect: "manual", headers: { Accept: "text/html" } })); } catch { /* the server is away again */ }
}

/** As it is drawn now, if this edition drew it; one that is newer is on its way to take our place. */
async function keep(path, { html, edition }) {
  if (!KEPT.test(path)) return;
  if (edition !== EDITION) return void registration.update().catch(() => { /* later */ });
  const cache = await caches.open(NAME);
  await cache.put(path, new Response(html, { headers: { ...HEADERS, "Content-Type": "text/html; charset=utf-8", "X-Kept": String(Date.now()) } }));
  const tables = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith("/s/"));
  const dated = await Promise.all(tables.map(async (each) => [Number((await cache.match(each)).headers.get("X-Kept")), each]));
  for (const [, old] of dated.sort(([a], [b]) => b - a).slice(TABLES)) await cache.delete(old);
}

async function forget(path) {
  const cache = await caches.open(NAME);
  for (const each of [path, `${path}/display`]) await cache.delete(each);
}

/** Marked with when that was; and the server's clock went on meanwhile. */
async function asSeen(kept) {
  const at = Number(kept.headers.get("X-Kept")), html = await kept.text();
  const marked = html.replace("<html ", `<html data-kept="${at}" `).replace(/data-now="(\d+)"/, (_, now) => `data-now="${Number(now) + Date.now() - at}"`);
  return new Response(marked, { headers: kept.headers });
}
