// What must be felt: an element that appears with data-buzz makes this phone buzz, once for each of its values.

import { buzz } from "./sound.js";

const here = () => new Set([...document.querySelectorAll("[data-buzz]")].map((each) => each.dataset.buzz));
let felt = here(); // whoever comes later reads it, and needs no nudge

document.addEventListener("htmx:after:swap", () => {
  const now = here();
  if ([...now].some((each) => !felt.has(each))) buzz();
  felt = now;
});
