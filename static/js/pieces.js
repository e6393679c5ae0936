// What pieces do beside being a tap: open a form or a tray, say why they are off, type numbers without a keyboard.

const code = document.body.dataset.code;

document.addEventListener("click", ({ target }) => {
  const tap = target.closest?.("[data-opens], [data-why]");
  if (tap?.dataset.why) return void refuse(tap, tap.dataset.why);
  if (tap) open(tap.dataset.opens);
  const key = target.closest?.("[data-digit]");
  if (key) type(key.closest("form"), key.dataset.digit);
});

/** Off, and nobody is left guessing: the reason stands on it, and it says so. */
document.addEventListener("table:no", ({ detail: { tap, text } }) => refuse(tap, text));
function refuse(tap, text) {
  tap.classList.remove("p-shakes");
  void tap.offsetWidth; // so that it shakes again
  tap.classList.add("p-shakes");
  document.dispatchEvent(new CustomEvent("table:say", { detail: { text } }));
}

function open(id) {
  const tray = document.getElementById(id);
  if (tray?.popover) return void tray.showPopover();
  htmx.ajax("GET", `/s/${code}/form/${id}`, { target: "#sheet-body", swap: "innerHTML" });
}

// --- numbers: the field that was touched last takes the keys ---

let typing = null;
document.addEventListener("focusin", ({ target }) => { if (target.matches?.("[data-number]")) typing = target; });

function type(form, key) {
  const field = form.contains(typing) ? typing : form.querySelector("[data-number]");
  const from = field.selectionStart, to = field.selectionEnd;
  if (key) field.setRangeText(key, from, to, "end");
  else field.setRangeText("", from === to ? Math.max(0, from - 1) : from, to, "end");
  typing = field;
  field.focus();
}
