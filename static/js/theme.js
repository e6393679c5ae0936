// Runs before the first paint, so that a light phone never flashes dark.
(() => {
  const KEY = "companion.theme";
  const root = document.documentElement;
  try { root.dataset.theme = localStorage.getItem(KEY) || "dark"; } catch { /* no storage: dark */ }
  addEventListener("storage", ({ key, newValue }) => { if (key === KEY && newValue) root.dataset.theme = newValue; }); // another tab
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-theme-switch]")) return;
    root.dataset.theme = root.dataset.theme === "light" ? "dark" : "light";
    try { localStorage.setItem(KEY, root.dataset.theme); } catch { /* it still changed for now */ }
  });
})();
