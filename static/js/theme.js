// Runs before the first paint, so that a light phone never flashes dark. It is as the system is, until somebody says otherwise.
(() => {
  const KEY = "companion.theme";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: light)");
  const chosen = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
  const bar = document.querySelector("meta[name=theme-color]"); // what a phone draws around us
  const paint = () => { bar.content = bar.dataset[root.dataset.theme]; };
  const show = () => { root.dataset.theme = chosen() || (system.matches ? "light" : "dark"); paint(); };
  show();
  system.addEventListener("change", show);
  addEventListener("storage", ({ key }) => { if (key === KEY) show(); }); // another tab
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-theme-switch]")) return;
    root.dataset.theme = root.dataset.theme === "light" ? "dark" : "light";
    paint();
    try { localStorage.setItem(KEY, root.dataset.theme); } catch { /* it still changed for now */ }
  });
})();
