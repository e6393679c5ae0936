// The gallery is looked at, not played: nothing in it is sent anywhere.

document.addEventListener("click", ({ target }) => {
  const tap = target.closest("[aria-pressed]");
  if (tap) tap.setAttribute("aria-pressed", String(tap.getAttribute("aria-pressed") !== "true"));
  const over = document.getElementById(target.closest("[data-opens]")?.dataset.opens);
  if (over?.popover) over.showPopover();
  else over?.showModal();
  const counter = target.closest("[data-keypad]")?.closest(".counter");
  if (counter) {
    document.getElementById("keypad-whom").textContent = `${counter.dataset.whom}: ${counter.dataset.label}`;
    document.getElementById("keypad").showModal();
  }
  const off = target.closest("[data-why]");
  if (off) off.classList.toggle("p-shakes");
});

document.addEventListener("submit", (event) => {
  if (event.target.method !== "dialog") event.preventDefault();
});
