// The recap as a picture to send: drawn on this phone, from what this page says, in the colours it has.

const WIDE = 1080, HIGH = 1350, SCENE = 540, EDGE = 56, INNER = WIDE - 2 * EDGE;
const SERIF = "Fraunces, Georgia, serif", SANS = "system-ui, -apple-system, Roboto, sans-serif";
const text = (selector, from = document) => from.querySelector(selector)?.textContent.trim() ?? "";
const colour = (name, from = document.documentElement) => getComputedStyle(from).getPropertyValue(name).trim();

/** A sign of ours as an image in this colour: a canvas knows nothing of symbols in another file, nor of a game's inks. */
async function sign(svg, fill, wide = 96, high = wide) {
  const [file, id] = svg.querySelector("use").getAttribute("href").split("#");
  const symbol = new DOMParser().parseFromString(await (await fetch(file)).text(), "image/svg+xml").getElementById(id);
  const image = new Image(wide, high);
  const drawn = symbol.innerHTML.replaceAll(/var\((--p\d)\)/g, (_, ink) => colour(ink, svg));
  image.src = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="${symbol.getAttribute("viewBox")}" preserveAspectRatio="xMidYMid slice" fill="${fill}" color="${fill}">${drawn}</svg>`)}`;
  await image.decode();
  return image;
}

/** What there is to draw, read off the page. */
async function read() {
  const places = [...document.querySelectorAll(".recap-place")].map(async (place) => ({
    name: text("bdi", place), total: text(".recap-total b", place), won: place.classList.contains("won"),
    colour: colour("--seat", place), sign: await sign(place.querySelector(".token svg"), colour("--ground")),
  }));
  const rows = [...document.querySelectorAll(".recap-scores tbody tr")];
  const crowned = document.querySelector(".crowned"), lid = document.querySelector("#recap-picture .plate");
  return {
    title: text(".recap-game"), mark: await sign(document.querySelector(".recap-game svg"), colour("--on-accent")),
    scene: await sign(lid, colour("--p4", lid), WIDE, SCENE), sky: [colour("--p0", lid), colour("--p1", lid)],
    head: text("h2 b", crowned), rest: [...crowned.querySelector("h2").childNodes].at(-1).textContent.trim(),
    light: colour("--seat", crowned) || colour("--accent"),
    how: text(".crowned-how"), facts: [...document.querySelectorAll(".recap-facts > *")].slice(0, 2).map((each) => each.textContent.trim()).join(", "),
    places: await Promise.all(places),
    lines: rows.map((row) => ({ name: text("th", row), totals: [...row.querySelectorAll("td")].map((cell) => (cell.textContent === "–" ? null : Number(cell.textContent.replace("−", "-")))) })),
    labels: [...document.querySelectorAll(".recap-scores thead th")].slice(1).map((each) => each.textContent),
  };
}

/** In lines that are no wider; what is one long word stays whole and is made smaller. */
function wrap(brush, words, wide) {
  const lines = [""];
  for (const word of words.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (lines.at(-1) && brush.measureText(longer).width > wide) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** As large as it may be in so many lines; gives where the next thing goes. */
function write(brush, words, { x = EDGE, y, wide = INNER, size, most = 2, family = SERIF, weight = 600, fill, align = "left" }) {
  let lines;
  for (; size > 16; size -= 2) {
    brush.font = `${weight} ${size}px ${family}`;
    lines = wrap(brush, words, wide);
    if (lines.length <= most && lines.every((line) => brush.measureText(line).width <= wide)) break;
  }
  Object.assign(brush, { fillStyle: fill, textAlign: align, textBaseline: "alphabetic" });
  for (const line of lines) brush.fillText(line, align === "center" ? x + wide / 2 : align === "right" ? x + wide : x, (y += size * 1.08), wide);
  return y;
}

function token(brush, { colour: fill, sign: image }, x, y, size) {
  brush.fillStyle = fill;
  brush.beginPath();
  brush.arc(x, y, size / 2, 0, 7);
  brush.fill();
  brush.drawImage(image, x - size * 0.28, y - size * 0.28, size * 0.56, size * 0.56);
}

/** What lies on the lid of the box, and it fades into the page. */
function scene(brush, { sky, scene: image }, ground) {
  const air = brush.createLinearGradient(0, 0, 0, SCENE), fades = brush.createLinearGradient(0, 0, 0, SCENE);
  sky.forEach((ink, at) => air.addColorStop(at, ink));
  for (const [at, part] of [[0.35, "00"], [0.8, "cc"], [1, "ff"]]) fades.addColorStop(at, ground + part);
  brush.fillStyle = air;
  brush.fillRect(0, 0, WIDE, SCENE);
  brush.drawImage(image, 0, 0);
  brush.fillStyle = fades;
  brush.fillRect(0, 0, WIDE, SCENE);
}

/** The game's sign and name, and small under it what else is on the box. */
function plate(brush, { title, mark }, ink) {
  const [name, , more] = title.split(/(: )/);
  brush.font = `600 34px ${SERIF}`;
  let wide = brush.measureText(name).width;
  brush.font = `400 24px ${SANS}`;
  wide = Math.min(INNER, 112 + Math.max(wide, more ? brush.measureText(more).width : 0) + 36);
  brush.fillStyle = `${ink.ground}d9`;
  brush.beginPath();
  brush.roundRect(EDGE - 8, 40, wide, 100, 50);
  brush.fill();
  token(brush, { colour: ink.accent, sign: mark }, EDGE + 42, 90, 64);
  write(brush, name, { x: EDGE + 90, y: more ? 48 : 62, wide: wide - 122, size: 34, most: 1, fill: ink.text });
  if (more) write(brush, more, { x: EDGE + 90, y: 92, wide: wide - 122, size: 24, most: 1, family: SANS, weight: 400, fill: ink.soft });
}

/** Who won, large, beside what they won with. */
function crown(brush, { head, rest, places }, ink) {
  const winners = places.filter((place) => place.won).slice(0, 6), size = winners.length > 1 ? 96 : 176;
  const alone = winners.length === 1, x = alone ? EDGE + size + 28 : EDGE;
  winners.forEach((place, at) => token(brush, place, EDGE + size / 2 + at * (size + 12), alone ? 500 : 390, size));
  const fit = { x, wide: WIDE - EDGE - x, fill: ink.text };
  brush.font = `600 128px ${SERIF}`;
  const long = brush.measureText(head).width > fit.wide;
  let y = write(brush, head, { ...fit, y: 410, size: long ? 84 : 128 });
  if (rest) y = write(brush, rest, { ...fit, y: y + 10, size: 34, fill: ink.soft });
  return Math.max(y + 24, alone ? 596 : 0);
}

function cards(brush, places, y, ink) {
  const beside = places.length === 5 ? 5 : places.length === 6 ? 3 : Math.min(4, places.length), rows = Math.ceil(places.length / beside), high = rows > 2 ? 108 : 150, gap = 16;
  const wide = (INNER - gap * (beside - 1)) / beside;
  for (const [at, place] of places.entries()) {
    const x = EDGE + (at % beside) * (wide + gap), top = y + Math.floor(at / beside) * (high + gap);
    brush.fillStyle = ink.surface;
    Object.assign(brush, { strokeStyle: place.won ? place.colour : ink.edge, lineWidth: place.won ? 4 : 2 });
    brush.beginPath();
    brush.roundRect(x, top, wide, high, 20);
    brush.fill();
    brush.stroke();
    token(brush, place, x + 40, top + 38, 44);
    write(brush, place.name, { x: x + 72, y: top + (place.name.length > 9 ? 10 : 22), wide: wide - 82, size: place.name.length > 9 ? 23 : 27, family: SANS, fill: ink.text });
    write(brush, place.total, { x, y: top + high - (rows > 2 ? 58 : 84), wide, size: rows > 2 ? 46 : 66, most: 1, fill: place.won ? place.colour : ink.text, align: "center" });
  }
  return y + rows * (high + gap);
}

function chart(brush, { lines, labels, places }, top, bottom, ink) {
  const all = lines.flatMap((line) => line.totals).filter((total) => total !== null);
  const least = Math.min(0, ...all), most = Math.max(1, ...all), left = EDGE + 60, right = WIDE - EDGE - 40;
  const at = (step) => left + (step / Math.max(1, labels.length - 1)) * (right - left);
  const up = (total) => bottom - ((total - least) / (most - least)) * (bottom - top);
  for (const total of [least, (least + most) / 2, most].map(Math.round)) {
    brush.fillStyle = ink.edge;
    brush.fillRect(left, up(total), right - left, 2);
    write(brush, String(total).replace("-", "−"), { x: 0, y: up(total) - 17, wide: left - 16, size: 24, most: 1, family: SANS, weight: 400, fill: ink.soft, align: "right" });
  }
  for (const { name, totals } of lines) {
    const place = places.find((each) => each.name === name);
    if (!place) continue;
    Object.assign(brush, { strokeStyle: place.colour, lineWidth: place.won ? 10 : 6, lineJoin: "round", lineCap: "round" });
    brush.beginPath();
    totals.forEach((total, step) => { if (total !== null) brush.lineTo(at(step), up(total)); });
    brush.stroke();
    const last = totals.findLastIndex((total) => total !== null);
    if (last >= 0) token(brush, place, at(last), up(totals[last]), 40);
  }
  write(brush, labels.at(-1), { x: right - 60, y: bottom + 8, wide: 100, size: 24, most: 1, family: SANS, weight: 400, fill: ink.soft, align: "right" });
  write(brush, labels[0], { x: left, y: bottom + 8, size: 24, most: 1, family: SANS, weight: 400, fill: ink.soft });
}

/** A PNG, as an address that an image can show and a link can save. */
export async function picture() {
  await document.fonts.load(`600 80px ${SERIF}`);
  const recap = await read();
  const ink = Object.fromEntries(Object.entries({ ground: "", surface: "", edge: "", accent: "", text: "ink", soft: "ink-soft" }).map(([name, token]) => [name, colour(`--${token || name}`)]));
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDE, height: HIGH });
  const brush = canvas.getContext("2d");
  brush.fillStyle = ink.ground;
  brush.fillRect(0, 0, WIDE, HIGH);
  scene(brush, recap, ink.ground);
  plate(brush, recap, ink);
  let y = crown(brush, recap, ink);
  y = cards(brush, recap.places, y + 12, ink);
  const foot = HIGH - 96, how = recap.how ? foot - 96 : foot;
  if (recap.lines.length && how - y > 200) chart(brush, recap, y + 28, how - 64, ink);
  if (recap.how) {
    brush.fillStyle = recap.light;
    brush.fillRect(EDGE, how + 14, 6, 70);
    write(brush, recap.how, { x: EDGE + 26, y: how, wide: INNER - 26, size: 36, fill: ink.text });
  }
  write(brush, "Companion", { y: foot + 24, size: 32, most: 1, fill: ink.text });
  write(brush, recap.facts, { y: foot + 26, size: 26, most: 1, family: SANS, weight: 400, fill: ink.soft, align: "right" });
  return canvas.toDataURL("image/png");
}
