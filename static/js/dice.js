// Everyone sees the same roll. Own dice first: the same sheet takes what the players' dice showed, face by face.

import { rattle, tick } from "./sound.js";

const roll = () => document.getElementById("roll");
let seen = Number(roll()?.dataset.number || 0);
let hiding = 0;

/** What a room shows where it counts (`data-shows` names the die) needs nothing over it, if that place is in sight. */
function inSight(die) {
  const place = document.querySelector(`[data-shows~="${die}"]`);
  if (!place) return false;
  const { left, right, top, bottom } = place.getBoundingClientRect();
  const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return place.contains(there) || Boolean(there?.contains(place));
}
/** Nor does a real die that a room shows: whoever told of it has seen it fall. */
const inPlace = (box) => box.dataset.quiet === "real" || "quiet" in box.dataset && [...box.querySelectorAll("[data-die]")].every((each) => inSight(each.dataset.die));

/** A roll that is new to this phone comes up large, on every phone and the display. */
function show() {
  const box = roll();
  const number = Number(box?.dataset.number || 0);
  if (!box || number === seen) return;
  const fresh = number > seen;
  seen = number;
  box.classList.remove("rolling");
  if (!fresh) return void box.classList.remove("up"); // it was taken back
  box.classList.toggle("up", !inPlace(box));
  void box.offsetWidth; // so that the same animation starts anew
  box.classList.add("rolling");
  rattle();
  setTimeout(tick, 650);
  clearTimeout(hiding);
  hiding = setTimeout(() => roll()?.classList.remove("up"), 6000);
  const words = spoken(box);
  setTimeout(() => { document.getElementById("said").textContent = words; }, 700);
}

/** The roll in words, without what is only for the eyes. */
function spoken(box) {
  const heard = box.cloneNode(true);
  for (const symbol of heard.querySelectorAll("[aria-hidden]")) symbol.remove();
  const [who = "", ...rest] = [...heard.querySelectorAll("p, li")].map((each) => each.textContent.replace(/\s+/g, " ").trim());
  const total = heard.querySelector(".roll-total") && heard.querySelector("li") ? ` = ${rest.pop()}` : "";
  if (heard.querySelector(".roll-names")) rest.pop(); // the dice have said so
  return `${who}: ${rest.join(", ")}${total}`;
}
document.addEventListener("htmx:after:swap", show);
document.addEventListener("click", (event) => { if (event.target.closest?.("#roll")) roll().classList.remove("up"); });

const cup = document.getElementById("cup");
if (cup) {
  const text = document.getElementById("throw");
  const shown = document.getElementById("shown");
  const own = cup.querySelector("[data-real]");
  const rooms = new Map([...cup.querySelectorAll("[data-faces]")].map((each) => [each.dataset.die, JSON.parse(each.dataset.faces)]));

  /** 2d6+coin+1 → [["d6", 2], ["coin", 1]]. Whether it is a throw at all, the server judges. */
  function dice() {
    const typed = text.value.toLowerCase().replace(/[−–]/g, "-").replace(/\s/g, "");
    const pieces = [...typed.matchAll(/[+-]?(?:(\d{1,4})?(d\d{1,4}|d%|[a-z]+(?:-[a-z]+)*)|\d{1,4})/g)]; // as the server reads it
    return pieces.filter(([, , die]) => die).map(([, count, die]) => [die === "d%" ? "d100" : die, Math.min(20, Number(count ?? 1))]);
  }

  function facesOf(die) {
    if (rooms.has(die)) return rooms.get(die);
    if (die === "coin") return ["heads", "tails"];
    const sides = Number(die.slice(1));
    return sides >= 2 && sides <= 20 ? Array.from({ length: sides }, (_, i) => String(i + 1)) : null;
  }

  /** One row of faces for each die in the cup; more than twenty faces are typed. */
  function rows(keep = true) {
    const before = keep ? [...shown.children].map((row) => [row.dataset.of, value(row)]) : [];
    shown.replaceChildren();
    if (shown.hidden) return;
    let number = 0;
    for (const [die, count] of dice()) for (let i = 0; i < count; i++) {
      number += 1;
      const row = document.createElement("fieldset");
      row.className = "faces";
      row.dataset.of = die;
      row.append(Object.assign(document.createElement("legend"), { textContent: `${die} shows` }));
      const faces = facesOf(die);
      if (faces) faces.forEach((face, at) => {
        const label = document.createElement("label");
        const radio = Object.assign(document.createElement("input"), { type: "radio", name: `face-${number}`, value: at + 1, required: true });
        radio.dataset.shown = "";
        label.append(radio, Object.assign(document.createElement("span"), { textContent: face }));
        row.append(label);
      });
      else {
        const input = Object.assign(document.createElement("input"), { inputMode: "numeric", required: true, autocomplete: "off" });
        input.setAttribute("aria-label", `${die} shows`);
        input.dataset.shown = "";
        row.append(input);
      }
      shown.append(row);
      const [same, face] = before[number - 1] ?? []; // one more die in the cup does not turn the others
      if (same !== die || !face) continue;
      const mark = row.querySelector(`input[type=radio][value="${face}"]`);
      if (mark) mark.checked = true;
      else if (!faces) row.querySelector("input").value = face;
    }
  }
  const value = (row) => row.querySelector("[data-shown]:checked, input:not([type=radio])")?.value ?? "";

  cup.addEventListener("click", (event) => {
    const die = event.target.closest("[data-die]")?.dataset.die;
    if (die) {
      const last = /(^|\+)(\d*)([a-z][a-z-]*|d\d+)$/.exec(text.value);
      text.value = last && last[3] === die ? text.value.slice(0, last.index) + last[1] + (Number(last[2] || 1) + 1) + die : text.value ? `${text.value}+${die}` : die;
      rows();
    }
    if (event.target.closest("[data-empty]")) { text.value = ""; rows(); }
    if (event.target.closest("[data-real]")) {
      shown.hidden = !shown.hidden;
      own.setAttribute("aria-expanded", String(!shown.hidden));
      cup.querySelector(".strong").textContent = shown.hidden ? "Roll" : "Tell the table";
      rows();
    }
  });
  text.addEventListener("input", () => rows());
  // the form's own fields are the rows' radios; what is sent is the faces, in the order of the dice
  cup.addEventListener("formdata", ({ formData }) => {
    for (const name of [...formData.keys()]) if (name.startsWith("face-")) formData.delete(name);
    if (shown.hidden) return;
    for (const row of shown.children) formData.append("shown", value(row));
  });
  // the same dice may be thrown again, but not the same faces told
  document.getElementById("tools").addEventListener("toggle", () => rows(false));
}
