// The server's search (companion/lookup/search.py), for when the server is away: the same words, the same weights, the same answers.

export class Index {
  constructor(told) {
    this.told = told;
    this.rulings = told.rulings;
    this.idle = new Set(told.idle);
    this.phrases = new Map();
    for (const group of told.same) {
      const single = new Set(group.filter((phrase) => phrase.length === 1).map(([word]) => word));
      for (const phrase of group) {
        const key = phrase.join(" ");
        const others = this.phrases.get(key) ?? new Set();
        for (const word of single) if (!phrase.includes(word)) others.add(word);
        this.phrases.set(key, others);
      }
    }
    const texts = this.rulings.map((ruling) => told.fields.map(([name]) => count(this.words([ruling[name] ?? ""].flat().join(" ")))));
    const number = this.rulings.length;
    const spread = new Map();
    for (const text of texts) for (const word of new Set(text.flatMap((field) => [...field.keys()]))) spread.set(word, (spread.get(word) ?? 0) + 1);
    this.rare = new Map([...spread].map(([word, n]) => [word, Math.log(1 + (number - n + 0.5) / (n + 0.5)) * (this.idle.has(word) ? 0.2 : 1)]));
    this.unknown = Math.log(1 + (number + 0.5) / 0.5) * told.weights.strange;
    const average = told.fields.map((_, at) => texts.reduce((sum, text) => sum + total(text[at]), 0) / (number || 1) || 1);
    const { saturated, length } = told.weights;
    this.where = new Map();
    texts.forEach((text, at) => {
      const heard = new Map();
      told.fields.forEach(([, weight], field) => {
        const long = 1 - length + (length * total(text[field])) / average[field];
        for (const [word, n] of text[field]) heard.set(word, (heard.get(word) ?? 0) + (weight * n) / long);
      });
      for (const [word, much] of heard) push(this.where, word, [at, (much * (saturated + 1)) / (much + saturated)]);
    });
    const exactly = (wordings) => this.rulings.flatMap((ruling, at) => wordings(ruling).map((each) => [this.words(each).join(" "), at])).reverse();
    this.exact = new Map([...exactly(({ wordings }) => wordings ?? []), ...exactly(({ title }) => [title])]);
    this.remember(this.rulings.map(({ title, wordings }) => [title, ...(wordings ?? [])].map((each) => grams(this.words(each)))));
    this.pieces = new Map();
    for (const word of this.rare.keys()) for (const piece of pieces(word)) push(this.pieces, piece, word);
  }

  words(text) {
    const plain = text.normalize("NFKD").replace(/[’´]/g, "'").replace(/[^\x00-\x7f]/g, "").toLowerCase().replace(/['`]/g, "");
    return plain.split(/[^a-z0-9]+/).filter(Boolean).map((word) => stem(this.told.numerals[word] ?? word));
  }

  remember(told) {
    const number = told.reduce((sum, units) => sum + units.length, 0);
    const spread = count(told.flatMap((units) => units.flatMap((unit) => [...unit])));
    this.strangest = Math.log(number + 1);
    const most = this.told.weights.common * number + 1;
    this.telling = new Map([...spread].filter(([, n]) => n <= most).map(([gram, n]) => [gram, Math.log((number + 1) / (n + 1))]));
    this.ways = told.map((units) => {
      const found = new Map();
      units.forEach((unit, at) => {
        const known = [...unit].filter((gram) => this.telling.has(gram));
        const length = lengthOf(known.map((gram) => this.telling.get(gram))) || 1;
        for (const gram of known) push(found, gram, [at, this.telling.get(gram) / length]);
      });
      return [units.length, found];
    });
  }

  /** The best first; not `clear` where they are only the nearest that there are; none where nothing fits well enough. */
  search(question, limit = 5) {
    const [terms, understood] = this.read(question);
    const some = terms.filter(([term]) => !term.size || [...term.keys()].some((word) => !this.idle.has(word)));
    const telling = some.length ? some : terms;
    const { alike: part, likely: number, sure: least, clear } = this.told.weights;
    if (2 * telling.filter(([term]) => !term.size).length > telling.length) return [];
    const fits = this.fits(telling);
    const exact = this.exact.get(this.words(question).join(" "));
    const likely = [...fits.keys()].sort((a, b) => (b === exact) - (a === exact) || fits.get(b) - fits.get(a) || a - b).slice(0, number);
    const asked = this.asked(terms, understood);
    const alike = new Map(likely.map((at) => [at, this.alike(asked, at)]));
    const most = Math.max(0, ...[...alike.values()].map(([near]) => near)) || 1;
    const found = likely.map((at) => [at, at === exact ? 1 : (1 - part) * fits.get(at) + (part * alike.get(at)[0]) / most]).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const sure = found.length ? fits.get(found[0][0]) + alike.get(found[0][0])[1] : 0;
    return sure < least ? [] : found.slice(0, limit).map(([at, score]) => ({ ruling: this.rulings[at], score, clear: sure >= clear }));
  }

  fits(terms) {
    const { saturated } = this.told.weights;
    const asked = (saturated + 1) * terms.reduce((sum, [, weight]) => sum + weight, 0);
    const scores = new Map();
    for (const [term, weight] of terms) {
      const best = new Map();
      for (const [word, much] of term) for (const [at, heard] of this.where.get(word) ?? []) best.set(at, Math.max(best.get(at) ?? 0, much * heard));
      for (const [at, heard] of best) scores.set(at, (scores.get(at) ?? 0) + (weight * heard) / asked);
    }
    return scores;
  }

  asked(terms, understood) {
    const asked = new Map([...grams(understood)].map((gram) => [gram, 1]));
    for (const [term] of terms) for (const [word, much] of term) asked.set(word, Math.max(asked.get(word) ?? 0, much));
    const known = [...asked.keys()].sort().filter((gram) => this.telling.has(gram)).map((gram) => [gram, asked.get(gram) * this.telling.get(gram)]);
    const strange = terms.filter(([term]) => !term.size).map(() => this.strangest);
    const length = lengthOf([...known.map(([, weight]) => weight), ...strange]) || 1;
    return known.map(([gram, weight]) => [gram, weight / length]);
  }

  alike(asked, at) {
    const [number, ways] = this.ways[at];
    const near = Array(number).fill(0);
    for (const [gram, weight] of asked) for (const [unit, heard] of ways.get(gram) ?? []) near[unit] += weight * heard;
    return [near.reduce((sum, like) => sum + like * like, 0), Math.max(...near)];
  }

  read(question) {
    const told = this.words([...question].slice(0, 200).join("")).slice(0, 24);
    const terms = [];
    const understood = [];
    for (let at = 0; at < told.length;) {
      const length = [3, 2].find((n) => at + n <= told.length && this.phrases.has(told.slice(at, at + n).join(" "))) ?? 1;
      const phrase = told.slice(at, at + length);
      const term = this.term(phrase, this.phrases.get(phrase.join(" ")) ?? []);
      if (term) terms.push(term);
      const mended = length === 1 && term?.[0].size && !this.rare.has(phrase[0]);
      understood.push(...(mended ? [[...term[0]].reduce((best, each) => (each[1] > best[1] ? each : best))[0]] : phrase));
      at += length;
    }
    return [terms, understood];
  }

  term(phrase, same) {
    const { same: alike, slip } = this.told.weights;
    let known = new Map([...same].sort().filter((word) => this.rare.has(word)).map((word) => [word, alike]));
    const most = (term) => (term.size ? Math.max(...[...term.keys()].map((word) => this.rare.get(word))) : this.unknown);
    if (phrase.length > 1) {
      for (const word of phrase) if (this.rare.has(word)) known.set(word, alike);
      return [known, most(known)];
    }
    const [word] = phrase;
    if (this.rare.has(word)) return [known.set(word, 1), this.rare.get(word)];
    if (this.idle.has(word)) return null;
    if (!known.size) known = new Map(this.slips(word).map(([near, like]) => [near, slip * like]));
    return [known, most(known)];
  }

  slips(word) {
    if (word.length < 4 || /^\d+$/.test(word)) return [];
    const near = new Map();
    for (const piece of pieces(word)) for (const other of this.pieces.get(piece) ?? []) near.set(other, (near.get(other) ?? 0) + 1);
    const most = word.length < 6 ? 1 : 2;
    const needed = Math.max(2, word.length + 1 - 3 * most);
    return [...near].filter(([other, shared]) => shared >= needed && Math.abs(other.length - word.length) <= most)
      .map(([other]) => [other, distance(word, other)]).filter(([, slips]) => slips <= most)
      .map(([other, slips]) => [other, 1 - slips / Math.max(word.length, other.length)])
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 3);
  }
}

const lengthOf = (weights) => Math.sqrt([...weights].reduce((sum, weight) => sum + weight * weight, 0));
const total = (counted) => [...counted.values()].reduce((sum, n) => sum + n, 0);
const grams = (told) => new Set([...told, ...told.slice(1).map((other, at) => `${told[at]} ${other}`)]);
const push = (map, key, value) => { if (map.has(key)) map.get(key).push(value); else map.set(key, [value]); };

function count(words) {
  const found = new Map();
  for (const word of words) found.set(word, (found.get(word) ?? 0) + 1);
  return found;
}

function stem(word) {
  if (word.length > 4 && word.endsWith("ies")) word = word.slice(0, -3) + "y";
  else if (word.length > 3 && word.endsWith("s") && !/(ss|us|is)$/.test(word)) word = word.slice(0, -1);
  for (const ending of ["ing", "ed"]) {
    if (!word.endsWith(ending) || word.length - ending.length < 3) continue;
    word = word.slice(0, -ending.length);
    if (word.length > 3 && word.at(-1) === word.at(-2) && !"lsz".includes(word.at(-1))) word = word.slice(0, -1);
    break;
  }
  return word.length > 3 && word.endsWith("e") ? word.slice(0, -1) : word;
}

function pieces(word) {
  const framed = `^${word}$`;
  return new Set(Array.from({ length: framed.length - 1 }, (_, at) => word[0] + framed.slice(at, at + 2)));
}

function distance(one, other) {
  let before = [];
  let row = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i++) {
    const last = row;
    row = [i];
    for (let j = 1; j <= other.length; j++) {
      let step = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) step = Math.min(step, before[j - 2] + 1);
      row.push(step);
    }
    before = last;
  }
  return row.at(-1);
}
