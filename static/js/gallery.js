// The gallery is looked at, not played: nothing in it is sent anywhere.

document.addEventListener("click", ({ target }) => {
  const tap = target.closest("[aria-pressed]");
  if (tap) tap.setAttribute("aria-pressed", String(tap.getAttribute("aria-pressed") !== "true"));
  document.getElementById(target.closest("[data-opens]")?.dataset.opens)?.showPopover();
  const off = target.closest("[data-why]");
  if (off) off.classList.toggle("p-shakes");
});
