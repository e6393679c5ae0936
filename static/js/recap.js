// The recap: days as this phone writes them, a picture to send, and a text that can be copied on plain http too.

import { picture } from "./picture.js";

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

const drawn = document.getElementById("recap-picture");
drawn?.addEventListener("toggle", async () => {
  if (!drawn.open) return;
  const image = drawn.querySelector("img");
  drawn.querySelector("a").href = image.src = await picture();
  image.hidden = false;
  const file = await asFile(image.src);
  const send = drawn.querySelector("[data-send]");
  send.hidden = !navigator.canShare?.({ files: [file] }); // https only
  send.onclick = () => navigator.share({ files: [file] }).catch(() => { /* they thought better of it */ });
});

async function asFile(address) {
  const bytes = Uint8Array.from(atob(address.split(",")[1]), (each) => each.charCodeAt(0));
  return new File([bytes], drawn.querySelector("a").download, { type: "image/png" });
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
