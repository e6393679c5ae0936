// The form that opens a table: whoever played last time is a chip to tap on or off; what seldom changes is behind a fold.

const at = (id) => document.getElementById(id);
const [form, chips, list, more, how, starters] = ["players-form", "chips", "players", "one-more", "how-many", "starters"].map(at);
const least = Number(how.dataset.least), most = Number(how.dataset.most);
const COLOURS = ["coral", "sky", "moss", "gold", "violet", "rose", "teal", "copper", "slate", "lime", "plum", "sand"];
const SYMBOLS = ["sun", "moon", "star", "key", "wave", "leaf", "flame", "eye", "anchor", "crown", "bolt", "bell"];

const rows = () => [...list.children];
const value = (row, name) => row.querySelector(`[name="${name}"]`);
const chip = (row) => chips.querySelector(`[data-key="${row.dataset.key}"]`);
const box = (row) => value(chip(row), "plays");
const playing = () => rows().filter((row) => box(row).checked);
const full = () => playing().length >= most;
const last = new Set(rows().filter((row) => value(row, "mine").checked)); // whom this phone played last time
let guess = null; // whom it plays, if nobody was there before: who was named first
let mineChosen = false; // whose seats it plays now was said, and is not guessed any more

const free = (all, used, from) => {
  const at = all.indexOf(from);
  return [...all.slice(at + 1), ...all.slice(0, at + 1)].find((each) => !used.includes(each)) ?? from;
};

/** The next colour and symbol that nobody who plays has. */
function repaint(row) {
  const others = playing().filter((each) => each !== row);
  const look = [["colour", COLOURS], ["symbol", SYMBOLS]].map(([name, all]) => {
    const input = value(row, name);
    input.value = free(all, others.map((each) => value(each, name).value), input.value);
    return input.value;
  });
  for (const element of [row, chip(row)]) {
    element.dataset.colour = look[0];
    const use = element.querySelector(".token use");
    use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${look[1]}`));
  }
}

const clashes = (row) => playing().some((each) => each !== row
  && ["colour", "symbol"].some((name) => value(each, name).value === value(row, name).value));

function add(name) {
  const known = rows().find((row) => value(row, "name").value.toLowerCase() === name.toLowerCase());
  if (known) return void (box(known).checked = true);
  const key = Array.from(crypto.getRandomValues(new Uint8Array(4)), (b) => b.toString(16).padStart(2, "0")).join("");
  const [row, face] = ["player", "chip"].map((each) => at(each).content.firstElementChild.cloneNode(true));
  for (const element of [row, face]) {
    element.dataset.key = key;
    element.querySelector("bdi").textContent = name;
    for (const each of element.querySelectorAll("[name=key], [name=plays], [name=mine]")) each.value = key;
    for (const each of element.querySelectorAll("[aria-label]")) each.ariaLabel = each.ariaLabel.replace("  ", ` ${name} `).replace(/ $/, ` ${name}`);
  }
  value(row, "name").value = name;
  list.append(row);
  chips.append(face);
  if (clashes(row)) repaint(row);
}

/** What was typed is somebody, also if nobody pressed Add. */
function take() {
  const name = more.value.trim().replaceAll(/\s+/g, " ");
  if (!name || full()) return;
  add(name);
  more.value = "";
  draw();
}

function shake(words) {
  how.textContent = words;
  how.classList.remove("p-shakes");
  void how.offsetWidth; // so that it shakes again
  how.classList.add("p-shakes");
}

function draw() {
  const there = playing();
  for (const row of rows()) row.hidden = !there.includes(row);
  const again = there.some((row) => last.has(row));
  if (!there.includes(guess)) guess = there[0];
  if (!mineChosen) for (const row of rows()) value(row, "mine").checked = again ? last.has(row) : row === guess;
  how.textContent = full() ? `${there.length}, and that is all` : there.length ? `${there.length} so far, of ${how.dataset.for}` : how.dataset.for;
  more.disabled = at("add").disabled = full();
  more.placeholder = full() ? "That is all it is for" : "Add a name";
  at("seating").hidden = !there.length;
  at("seating-now").textContent = there.map((row) => value(row, "name").value + (value(row, "mine").checked ? " (this phone)" : "")).join(", ");
  if (starters) listStarters(there);
}

function listStarters(there) {
  const chosen = starters.querySelector("[data-key] :checked")?.value ?? starters.dataset.chosen;
  starters.dataset.chosen = ""; // only what the form came back with
  for (const old of starters.querySelectorAll("[data-key]")) old.remove();
  for (const row of there) {
    const one = chip(row).cloneNode(true);
    const radio = Object.assign(one.querySelector("input"), { type: "radio", name: "starter" });
    radio.checked = radio.value === chosen;
    starters.append(one);
  }
  if (!starters.querySelector(":checked")) starters.querySelector("[value=lot]").checked = true; // who was to start has gone
  at("starts").hidden = there.length < 2;
}

chips.addEventListener("click", (event) => {
  const ticked = event.target.closest("input");
  if (!ticked?.checked || playing().length <= most) return;
  event.preventDefault(); // full: this one stays off
  shake(`It is for ${how.dataset.for}: tap one off first`);
});
chips.addEventListener("change", ({ target }) => {
  const row = rows().find((each) => each.dataset.key === target.value);
  if (target.checked && clashes(row)) repaint(row);
  draw();
});
list.addEventListener("click", ({ target }) => {
  const row = target.closest(".player");
  if (target.closest("[data-look]")) repaint(row);
  if (target.closest("[name=mine]")) mineChosen = true;
  if (target.closest("[data-move]")) {
    const before = playing()[playing().indexOf(row) - 1];
    if (before) before.before(row); else list.append(row); // the first goes round to the last place
    row.querySelector("[data-move]").focus();
  }
  draw();
});
more.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !more.value.trim()) return;
  event.preventDefault(); // on to the next name
  take();
});
at("add").addEventListener("click", () => { take(); more.focus(); });
form.addEventListener("submit", (event) => {
  take();
  if (playing().length >= least) return;
  event.preventDefault();
  shake(`It takes ${how.dataset.for}`);
  more.focus();
});
const rules = at("house");
const choices = () => [...(rules?.querySelectorAll(":checked") ?? [])].map((each) => each.id || each.value).join();
const usual = choices();
rules?.addEventListener("change", () => { at("house-now").textContent = choices() === usual ? "as usual" : "changed for this table"; });
draw();
if (!list.children.length) more.focus(); // not before we listen: Enter would send the form without the name
