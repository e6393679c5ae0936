// The table display fills its screen: where a style says `--fills`, what stands there is drawn as large as fits, up to so
// many times its size, and as small as it must be for nothing to be cut off.

const STEPS = [3, 2.7, 2.4, 2.1, 1.9, 1.7, 1.5, 1.3, 1.15, 1, 0.9, 0.8, 0.7, 0.6, 0.5];
// Not by a style of each element: htmx takes over what attributes were there, and no page of ours lets one write a style.
const sizes = new CSSStyleSheet();
sizes.replaceSync(STEPS.map((step) => `[data-zoom="${step}"] { zoom: ${step}; }`).join(" "));
document.adoptedStyleSheets.push(sizes);
const page = document.getElementById("page");
const board = document.getElementById("board");

const most = (box) => Number(getComputedStyle(box).getPropertyValue("--fills"));
const clips = (each) => { // whatever is only read out is cut off on purpose
  const { overflowY, clipPath } = getComputedStyle(each);
  return overflowY !== "visible" && clipPath === "none";
};
const over = (each) => each.scrollHeight > each.clientHeight + 5 || each.scrollWidth > each.clientWidth + 2; // a line is higher than its letters

let before = new WeakMap(); // the step that each was drawn at, which most drawings leave as it is

/** The largest step at which nothing in it is cut off; where none helps, as it is. */
function fit(box) {
  const cut = [box, ...box.querySelectorAll("*")].filter((each) => each === box || clips(each));
  const draw = (step) => { for (const each of box.children) each.dataset.zoom = step; };
  const fits = (step) => (draw(step), !cut.some(over));
  const large = most(box), steps = STEPS.filter((step) => step <= large);
  const last = steps.indexOf(before.get(box));
  let found = -1; // to lay it out takes long, so the one above and the last are tried before all others
  if (last < 0 || (last > 0 && fits(steps[last - 1]))) found = steps.findIndex(fits);
  else if (fits(steps[last])) found = last;
  else found = steps.findIndex((step, at) => at > last && fits(step));
  if (found < 0) draw(1);
  before.set(box, steps[found]);
}

function fill() {
  page.classList.remove("bare"); // where the board has nothing for a display, the phase has its place
  page.classList.toggle("bare", board.checkVisibility() && ![...board.children].some((each) => each.checkVisibility() && each.innerText.trim()));
  for (const each of page.querySelectorAll("[data-zoom]")) delete each.dataset.zoom;
  for (const box of page.querySelectorAll("section, div, ol, ul, article")) if (box.clientHeight && most(box)) fit(box);
  watch.takeRecords(); // what was done here is no news
}

const watch = new MutationObserver((changes) => {
  if (changes.some(({ target }) => !target.parentElement?.closest("#timer, #roll"))) fill();
});
watch.observe(page, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["class", "hidden", "open", "data-zoom"] });
addEventListener("resize", () => { before = new WeakMap(); fill(); });
document.fonts.ready.then(fill);
fill();
