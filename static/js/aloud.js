// The phone reads out what stands beside a [data-aloud] button, where it has a voice; a second tap is enough of it.

const voice = window.speechSynthesis;

function offer() {
  for (const each of voice ? document.querySelectorAll("[data-aloud][hidden]") : []) each.hidden = false;
}
document.addEventListener("htmx:after:swap", offer);
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-aloud]");
  if (!button) return;
  if (voice.speaking || voice.pending) return void voice.cancel();
  const words = new SpeechSynthesisUtterance([...button.parentElement.querySelectorAll("p")].map((each) => each.textContent).join(" "));
  words.lang = document.documentElement.lang;
  voice.speak(words);
});
document.getElementById("sheet")?.addEventListener("close", () => voice?.cancel());
