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

const share = () => {
  for (const button of document.querySelectorAll("[data-share]")) button.hidden = !navigator.share; // https only
};
share();
document.addEventListener("htmx:after:swap", share);

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-share]");
  if (!button) return;
  const text = button.parentElement.querySelector("textarea").value;
  navigator.share({ text }).catch(() => { /* they thought better of it */ });
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  const done = await copied(button.parentElement.querySelector("textarea"));
  button.textContent = done ? "Copied" : "Marked: copy it by hand";
  setTimeout(() => { button.textContent = "Copy"; }, 3000);
});
