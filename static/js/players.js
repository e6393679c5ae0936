// The form that opens a table: rows can be moved, removed and repainted, and everyone in it can be the one who starts.

const list = document.getElementById("players");
const starters = document.getElementById("starters");
const COLOURS = ["coral", "sky", "moss", "gold", "violet", "rose", "teal", "copper", "slate", "lime", "plum", "sand"];
const SYMBOLS = ["sun", "moon", "star", "key", "wave", "leaf", "flame", "eye", "anchor", "crown", "bolt", "bell"];

const rows = () => [...list.querySelectorAll(".player")];
const value = (row, name) => row.querySelector(`[name="${name}"]`);
const next = (all, used, from) => {
  for (let i = 1; i <= all.length; i++) {
    const candidate = all[(all.indexOf(from) + i) % all.length];
    if (!used.includes(candidate)) return candidate;
  }
  return from;
};

/** Each tap on the token is the next free look: both colour and symbol move on. */
function repaint(row) {
  const others = rows().filter((each) => each !== row);
  for (const [name, all] of [["colour", COLOURS], ["symbol", SYMBOLS]]) {
    const input = value(row, name);
    input.value = next(all, others.map((each) => value(each, name).value), input.value);
  }
  row.dataset.colour = value(row, "colour").value;
  row.querySelector(".token use").setAttribute("href", `/static/icons.svg#${value(row, "symbol").value}`);
}

function listStarters() {
  const chosen = starters.querySelector(":checked")?.value ?? starters.dataset.chosen;
  starters.dataset.chosen = ""; // only what the form came back with
  starters.replaceChildren(...rows().filter((row) => value(row, "name").value.trim()).map((row) => {
    const label = document.createElement("label");
    label.className = "choice";
    const radio = Object.assign(document.createElement("input"), { type: "radio", name: "starter", value: value(row, "key").value });
    radio.checked = radio.value === chosen;
    const name = document.createElement("bdi");
    name.textContent = value(row, "name").value.trim();
    label.append(radio, name);
    return label;
  }));
  if (!document.querySelector("[name=starter]:checked")) document.querySelector("[name=starter][value=lot]").checked = true;
}

list.addEventListener("click", (event) => {
  const row = event.target.closest(".player");
  if (!row) return;
  if (event.target.closest("[data-look]")) repaint(row);
  if (event.target.closest("[data-remove]")) row.remove();
  const way = event.target.closest("[data-move]")?.dataset.move;
  if (way === "up") row.previousElementSibling?.before(row);
  if (way === "down") row.nextElementSibling?.after(row);
  if (way) row.querySelector(`[data-move="${way}"]`).focus();
  listStarters();
});
list.addEventListener("input", listStarters);
document.addEventListener("htmx:after:swap", () => {
  listStarters();
  rows().at(-1).querySelector("[data-focus]")?.focus();
});
listStarters();
