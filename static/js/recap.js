// The recap: days as this phone writes them, and a text that can be copied on plain http too.

const days = () => {
  for (const time of document.querySelectorAll("time[data-day]:empty")) {
    const at = new Date(Number(time.dataset.day));
    time.dateTime = at.toISOString();
    time.textContent = at.toLocaleDateString([], { day: "numeric", month: "long", year: "numeric" });
  }
};
days();
document.addEventListener("htmx:after:swap", days);

async function copied(text) {
  text.select(); // whatever happens next, a long press can copy it
  text.setSelectionRange(0, text.value.length);
  try {
    await navigator.clipboard.writeText(text.value);
    return true;
  } catch {
    return document.execCommand("copy"); // without https there is no other way
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  const done = await copied(button.parentElement.querySelector("textarea"));
  button.textContent = done ? "Copied" : "Marked: copy it by hand";
  setTimeout(() => { button.textContent = "Copy"; }, 3000);
});
