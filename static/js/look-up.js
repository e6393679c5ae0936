// The server's search (companion/lookup), for when the server is away: the same words, the same marks, the same answers.

/** What was sent, or null. Each field of all rulings comes together, since that squeezes better; phones may still keep them one by one. */
export function opened(text) {
  const rulebook = JSON.parse(text);
  if (!rulebook || Array.isArray(rulebook.rulings)) return rulebook;
  const fields = Object.entries(rulebook.rulings);
  const ruling = (at) => Object.fromEntries(fields.map(([name, all]) => [name, all[at]]).filter(([, value]) => value));
  return { ...rulebook, rulings: rulebook.rulings.id.map((_, at) => ruling(at)) };
}

export class Index {
  constructor(rulebook) {
    this.rulebook = rulebook;
    this.rulings = rulebook.rulings;
    this.number = rulebook.rulings.length;
    this.idle = new Set(rulebook.idle);
    this.beyond = new Set(rulebook.beyond);
    this.elsewhere = new Set(rulebook.elsewhere);
    this.voicesOf = rulebook.voices.map((voice) => new Set(voice));
    this.phrases = new Map();
    for (const group of rulebook.same) {
      const single = new Set(group.filter((phrase) => phrase.length === 1).map(([word]) => word));
      for (const phrase of group) {
        const key = phrase.join(" ");
        const others = this.phrases.get(key) ?? new Set();
        for (const word of single) if (!phrase.includes(word)) others.add(word);
        this.phrases.set(key, others);
      }
    }
    const ways = this.rulings.map(({ title, id, wordings }) => [title, id.replaceAll("-", " "), ...(wordings ?? [])].map((each) => this.words(each)));
    this.hear(ways);
    this.share(ways);
    this.compare(ways);
    this.voices = this.voicesOf.map((voice) => ways.map((units) => units.filter((unit) => unit.some((word) => voice.has(word))).length / units.length));
    this.numbers = this.rulings.map(({ title, answer }, at) => {
      const often = count(ways[at].flatMap((unit) => [...numbersIn(unit)]));
      return new Set([...numbersIn(this.words(`${title} ${answer}`)), ...[...often].filter(([, times]) => times > 1).map(([number]) => number)]);
    });
    this.special = this.rulings.map(({ special }) => (special ?? []).map((phrase) => this.words(phrase)));
    this.seldom = this.rulings.map(({ seldom }) => Number(seldom ?? false));
    const exactly = (units) => ways.flatMap((all, at) => units(all).map((unit) => [unit.join(" "), at])).reverse();
    this.exact = new Map([...exactly((all) => all.slice(1)), ...exactly((all) => all.slice(0, 1))]);
  }

  words(text) {
    const plain = text.replace(/[’´]/g, "'").normalize("NFKD").replace(/[^\x00-\x7f]/g, "").toLowerCase().replace(/'s\b/g, "").replace(/['`]/g, "");
    return plain.split(/[^a-z0-9]+/).filter(Boolean).map((word) => stem(this.rulebook.numerals[word] ?? word));
  }

  hear(ways) {
    const { number } = this;
    const { saturated, length, strange } = this.rulebook.weights;
    const texts = this.rulings.map((ruling, at) => this.rulebook.fields.map(([name]) => count(name === "wordings" ? [...ways[at].slice(1).flat(), ...this.words(ruling.words ?? "")] : this.words(ruling[name] ?? ""))));
    const spread = new Map();
    for (const text of texts) for (const word of new Set(text.flatMap((field) => [...field.keys()]))) spread.set(word, (spread.get(word) ?? 0) + 1);
    this.rare = new Map([...spread].map(([word, n]) => [word, Math.log(1 + (number - n + 0.5) / (n + 0.5)) * (this.idle.has(word) ? 0.2 : 1)]));
    this.unknown = Math.log(1 + (number + 0.5) / 0.5) * strange;
    const average = this.rulebook.fields.map((_, at) => texts.reduce((sum, text) => sum + total(text[at]), 0) / (number || 1) || 1);
    this.heard = new Map();
    texts.forEach((text, at) => {
      const heard = new Map();
      this.rulebook.fields.forEach(([, weight], field) => {
        const long = 1 - length + (length * total(text[field])) / average[field];
        for (const [word, n] of text[field]) heard.set(word, (heard.get(word) ?? 0) + (weight * n) / long);
      });
      for (const [word, much] of heard) push(this.heard, word, [at, (much * (saturated + 1)) / (much + saturated)]);
    });
  }

  share(ways) {
    this.shares = new Map();
    this.core = Array(this.number).fill(0);
    ways.forEach((units, at) => {
      const counts = count([...units.flatMap((unit) => [...new Set(unit)]), ...this.words(this.rulings[at].words ?? "")]);
      for (const [word, n] of counts) push(this.shares, word, [at, n / units.length]);
    });
    this.usual = new Map([...this.shares].map(([word, row]) => [word, row.reduce((sum, [, much]) => sum + much, 0) / (this.number || 1)]));
    for (const [word, row] of [...this.shares].sort(([a], [b]) => (a < b ? -1 : 1))) for (const [at, much] of row) if (much >= this.rulebook.weights.usual) this.core[at] += much * this.rare.get(word);
  }

  compare(ways) {
    const flat = ways.flat().map(grams);
    const spread = count(flat.flatMap((unit) => [...unit]));
    const most = this.rulebook.weights.common * flat.length + 1;
    this.strangest = Math.log(flat.length + 1);
    this.telling = new Map([...spread].filter(([, n]) => n <= most).map(([gram, n]) => [gram, Math.log((flat.length + 1) / (n + 1))]));
    this.near = new Map();
    flat.forEach((unit, at) => {
      const known = [...unit].filter((gram) => this.telling.has(gram)).sort();
      const length = lengthOf(known.map((gram) => this.telling.get(gram))) || 1;
      for (const gram of known) push(this.near, gram, [at, this.telling.get(gram) / length]);
    });
    this.ways = ways.map((units) => units.length);
    this.starts = this.ways.map((_, at) => this.ways.slice(0, at).reduce((sum, each) => sum + each, 0));
    this.units = flat.length;
  }

  /** The best first; not `clear` where they are only the nearest that there are; `equal` where two answer about as well; none where nothing fits. */
  search(question, limit = 5) {
    const query = this.read(question);
    const { clear, nothing, equal } = this.rulebook.weights;
    if (!this.number || !query.telling.some(([term]) => term.size) || query.strange > 0.6) return [];
    const marks = this.marks(query);
    const chances = this.chances(marks);
    const exact = this.exact.get(this.words(question).join(" "));
    const rounded = chances.map((chance) => Math.round(Math.log(chance) * 1e6));
    const order = [...chances.keys()].sort((a, b) => (b === exact) - (a === exact) || rounded[b] - rounded[a] || a - b);
    const [first, second = first] = order;
    const sure = first === exact ? 1 : this.sure(marks, chances, query, first, second);
    if (sure < nothing) return [];
    const equals = first !== exact && chances[second] > equal * chances[first];
    return order.slice(0, limit).map((at, place) => ({ ruling: this.rulings[at], score: sure * Math.min(1, chances[at] / (chances[first] || 1)), clear: sure >= clear, equal: equals && place < 2 }));
  }

  marks(query) {
    const near = this.nearness(query);
    let start = 0;
    const ways = this.ways.map((length) => near.slice(start, start += length));
    const numbers = numbersIn(query.heard);
    const voices = this.voicesOf.map((voice) => [...query.heard].some((word) => voice.has(word)));
    const [me, other, not] = this.voices.map((shares, at) => shares.map((one) => (voices[at] ? one : 1 - one)));
    return {
      said: this.said(query.telling),
      many: besideTheMost(ways.map((each) => each.reduce((sum, like) => sum + like * like, 0))),
      mean: besideTheMost(ways.map((each) => each.reduce((sum, like) => sum + like, 0) / each.length)),
      nearest: ways.map((each) => Math.max(...each)),
      likely: this.likely(query.terms),
      missed: this.missed(query.terms),
      me, other, not,
      numbers: this.numbers.map((own) => (numbers.size ? [...numbers].filter((each) => !own.has(each)).length / numbers.size : 0)),
      seldom: this.seldom,
      special: this.special.map((phrases) => Number(phrases.length > 0 && !phrases.some((phrase) => phrase.every((word) => query.heard.has(word))))),
    };
  }

  chances(marks) {
    const counts = Object.entries(this.rulebook.marks);
    const sums = this.rulings.map((_, at) => counts.reduce((sum, [name, weight]) => sum + weight * marks[name][at], 0));
    const most = Math.max(...sums);
    const weights = sums.map((each) => Math.exp(Math.max(each - most, -50)));
    const all = weights.reduce((sum, each) => sum + each, 0);
    return weights.map((each) => each / all);
  }

  sure(marks, chances, query, first, second) {
    const sum = Object.entries(this.rulebook.marks).reduce((all, [name, weight]) => all + weight * marks[name][first], 0);
    const features = { "": 1, chance: chances[first], ahead: chances[first] - chances[second], sum, said: marks.said[first], nearest: marks.nearest[first], missed: marks.missed[first], likely: marks.likely[first], strange: query.strange, long: Math.min(query.telling.length, 6), ...this.beyondIt(query, first), ...this.atOnce(query, first) };
    return 1 / (1 + Math.exp(-Object.entries(this.rulebook.sure).reduce((all, [name, weight]) => all + weight * (features[name] ?? 0), 0))); // names of other days count nothing
  }

  /** Words that people use when they ask for this ruling, if it answers a question with them. */
  beyondIt({ heard }, first) {
    const { seldom, owned } = this.rulebook.weights;
    const unsaid = (word) => 1 - Math.min(1, (this.shares.get(word)?.find(([at]) => at === first)?.[1] ?? 0) / seldom);
    const others = [...heard].filter((word) => this.elsewhere.has(word) && (this.usual.get(word) ?? 0) < owned);
    return {
      beyond: Math.max(0, ...[...heard].filter((word) => this.beyond.has(word)).map(unsaid)),
      elsewhere: others.reduce((sum, word) => sum + unsaid(word), 0),
      foreign: others.filter((word) => !this.rare.has(word)).length,
    };
  }

  /** How much of the question a single wording says; and how many of its pairs of words one says, of the best ruling or of any. */
  atOnce({ telling }, first) {
    const weights = telling.map(([, weight]) => weight);
    const everywhere = telling.map(([term]) => this.saying(term));
    const mine = Array.from({ length: this.ways[first] }, (_, at) => this.starts[first] + at);
    const here = everywhere.map((units) => new Map(mine.filter((unit) => units.has(unit)).map((unit) => [unit, units.get(unit)])));
    const most = Math.max(...mine.map((unit) => here.reduce((sum, units, at) => sum + weights[at] * (units.get(unit) ?? 0), 0)));
    return { "at once": most / (weights.reduce((sum, each) => sum + each, 0) || 1), pairs: paired(weights, here), "known pairs": paired(weights, everywhere) };
  }

  /** The wordings that say a word or what it may stand for, and how much; a common one is in all of them. */
  saying(term) {
    const units = new Map();
    const heard = (unit, much) => units.set(unit, Math.max(units.get(unit) ?? 0, much));
    for (const [word, much] of term) {
      if (this.near.has(word)) for (const [unit] of this.near.get(word)) heard(unit, much);
      else if ((this.usual.get(word) ?? 0) > this.rulebook.weights.common / 2) for (let unit = 0; unit < this.units; unit += 1) heard(unit, much);
    }
    return units;
  }

  said(terms) {
    const { saturated } = this.rulebook.weights;
    const most = (saturated + 1) * terms.reduce((sum, [, weight]) => sum + weight, 0);
    const scores = Array(this.number).fill(0);
    for (const [term, weight] of terms) for (const [at, heard] of best(term, this.heard)) scores[at] += (weight * heard) / most;
    return scores;
  }

  likely(terms) {
    const { own, rough } = this.rulebook.weights;
    const known = terms.map(([term]) => term).filter((term) => term.size);
    const scores = Array(this.number).fill(0);
    for (const term of known) {
      const usual = Math.max(...[...term].map(([word, much]) => much * (this.usual.get(word) ?? 0)));
      const shares = best(term, this.shares);
      for (const at of scores.keys()) scores[at] += Math.log((own * (shares.get(at) ?? 0) + (1 - own) * usual + rough) / (usual + rough));
    }
    return scores.map((score) => score / (known.length || 1));
  }

  missed(terms) {
    const left = [...this.core];
    for (const word of [...new Set(terms.flatMap(([term]) => [...term.keys()]))].sort()) {
      for (const [at, much] of this.shares.get(word) ?? []) if (much >= this.rulebook.weights.usual) left[at] -= much * this.rare.get(word);
    }
    return left.map((each, at) => each / (this.core[at] + 1e-6));
  }

  nearness({ terms, understood }) {
    const weighed = new Map([...grams(understood)].map((gram) => [gram, 1]));
    for (const [term] of terms) for (const [word, much] of term) weighed.set(word, Math.max(weighed.get(word) ?? 0, much));
    const known = [...weighed.keys()].sort().filter((gram) => this.telling.has(gram)).map((gram) => [gram, weighed.get(gram) * this.telling.get(gram)]);
    const strange = terms.filter(([term]) => !term.size).length;
    const length = Math.sqrt(known.reduce((sum, [, much]) => sum + much * much, 0) + strange * this.strangest ** 2) || 1;
    const near = Array(this.ways.reduce((sum, each) => sum + each, 0)).fill(0);
    for (const [gram, much] of known) for (const [unit, heard] of this.near.get(gram)) near[unit] += (much / length) * heard;
    return near;
  }

  read(question) {
    const stems = this.words([...question].slice(0, 200).join("")).slice(0, 24);
    const terms = [];
    const understood = [];
    for (let at = 0; at < stems.length;) {
      const length = [3, 2].find((n) => at + n <= stems.length && this.phrases.has(stems.slice(at, at + n).join(" "))) ?? 1;
      const phrase = stems.slice(at, at + length);
      const term = this.term(phrase, this.phrases.get(phrase.join(" ")) ?? []);
      if (term) terms.push(term);
      const mended = length === 1 && term?.[0].size && !this.rare.has(phrase[0]);
      understood.push(...(mended ? [[...term[0]].reduce((most, each) => (each[1] > most[1] ? each : most))[0]] : phrase));
      at += length;
    }
    const some = terms.filter(([term]) => !term.size || [...term.keys()].some((word) => !this.idle.has(word)));
    const telling = some.length ? some : terms;
    return { terms, telling, understood, heard: new Set([...stems, ...understood]), strange: telling.filter(([term]) => !term.size).length / (telling.length || 1) };
  }

  term(phrase, same) {
    const { same: alike, slip } = this.rulebook.weights;
    let known = new Map([...same].sort().filter((word) => this.rare.has(word)).map((word) => [word, alike]));
    const most = (term) => (term.size ? Math.max(...[...term.keys()].map((word) => this.rare.get(word))) : this.unknown);
    if (phrase.length > 1) {
      for (const word of phrase) if (this.rare.has(word)) known.set(word, alike);
      return [known, most(known)];
    }
    const [word] = phrase;
    if (this.rare.has(word)) return [known.set(word, 1), this.rare.get(word)];
    if (this.idle.has(word)) return null;
    if (!known.size && !this.beyond.has(word) && !this.elsewhere.has(word)) known = new Map(this.slips(word).map(([near, like]) => [near, slip * like]));
    return [known, most(known)];
  }

  slips(word) {
    if (word.length < 4 || /^\d+$/.test(word)) return [];
    const most = word.length < 6 ? 1 : 2;
    const needed = Math.max(2, word.length + 1 - 3 * most);
    const mine = pieces(word);
    return [...this.rare.keys()].filter((other) => other[0] === word[0] && Math.abs(other.length - word.length) <= most && [...pieces(other)].filter((piece) => mine.has(piece)).length >= needed)
      .map((other) => [other, distance(word, other)]).filter(([, slips]) => slips <= most)
      .map(([other, slips]) => [other, 1 - slips / Math.max(word.length, other.length)])
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 3);
  }
}

/** What is said above answers that may not be the one. */
export function heading(answers) {
  if (!answers.length) return "";
  if (!answers[0].clear) return "No ruling fits that well. The nearest:";
  return answers[0].equal ? "Two rulings come about as near. Which is your question?" : "";
}

/** What a ruling says at a table that has chosen; where nobody has, all readings. As companion/core/game.py. */
export function answerOf(ruling, rulebook, chosen = null) {
  const rule = rulebook.house_rules.find((each) => each.id === ruling.house_rule);
  if (!rule) return ruling.answer;
  const by = (id) => {
    if (id === rule.default) return ruling.answer;
    const [, reading] = [...rule.choices, ...rule.earlier].find(([each]) => each === id) ?? [id, id];
    return ruling.readings?.[id] ?? `${reading}. (${rule.question})`;
  };
  if (chosen) return `Your table plays: ${by(chosen[rule.id] ?? rule.default)}`;
  return [ruling.answer, ...rule.choices.filter(([id]) => id !== rule.default).map(([id]) => `Other tables play: ${by(id)}`)].join(" ");
}

const lengthOf = (weights) => Math.sqrt([...weights].reduce((sum, weight) => sum + weight * weight, 0));
const total = (counted) => [...counted.values()].reduce((sum, n) => sum + n, 0);
const grams = (stems) => new Set([...stems, ...stems.slice(1).map((other, at) => `${stems[at]} ${other}`)]);
const numbersIn = (stems) => new Set([...stems].filter((word) => /^\d+$/.test(word)));
const push = (map, key, value) => { if (map.has(key)) map.get(key).push(value); else map.set(key, [value]); };

/** Of all pairs, by the lesser weight; of a single word, whether it is said at all. */
function paired(weights, saying) {
  const pairs = weights.flatMap((weight, at) => weights.slice(0, at).map((other, before) => [Math.min(weight, other), [...saying[at].keys()].some((unit) => saying[before].has(unit))]));
  if (!pairs.length) return Number(saying[0].size > 0);
  return pairs.reduce((sum, [weight, together]) => sum + (together ? weight : 0), 0) / (pairs.reduce((sum, [weight]) => sum + weight, 0) || 1);
}

/** Of the words that one may stand for, the one that is heard most. */
function best(term, postings) {
  const found = new Map();
  for (const [word, much] of term) for (const [at, heard] of postings.get(word) ?? []) if (much * heard > (found.get(at) ?? 0)) found.set(at, much * heard);
  return found;
}

function besideTheMost(many) {
  const most = Math.max(...many) || 1;
  return many.map((each) => each / most);
}

function count(words) {
  const found = new Map();
  for (const word of words) found.set(word, (found.get(word) ?? 0) + 1);
  return found;
}

function stem(word) {
  if (word.length > 4 && word.endsWith("ies")) word = word.slice(0, -3) + "y";
  else if (word.length > 5 && word.endsWith("nes")) word += "s";
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
