// How fast the tables are tapped.

const random = (below) => Math.floor(Math.random() * below);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const PATIENCE = 10_000; // ms after which a tap no longer holds its place in the queue

/** Keeps `inFlight` taps under way, each at another table, until told to stop. */
export function flatOut(tables, server, inFlight) {
  const free = tables.all.map((table, number) => number).sort(() => Math.random() - 0.5);
  let stopped = false;
  const next = () => {
    if (stopped || !free.length) return;
    const number = free.shift();
    let over = false;
    const finish = (well) => {
      if (over) return;
      over = true;
      clearTimeout(patience);
      if (well) free.push(number);
      next();
    };
    const patience = setTimeout(() => finish(false), PATIENCE);
    tables.tap(server, number, random(tables.all[number].phones), finish);
  };
  for (let n = 0; n < inFlight; n += 1) next();
  return () => {
    stopped = true;
  };
}

/** Taps every table from `first` on so many `times`, `inFlight` of them at once; for `most` ms. */
export async function round(tables, server, first, times, inFlight, most) {
  const until = performance.now() + most;
  const numbers = tables.all.map((table, number) => number).slice(first);
  const order = Array.from({ length: times }, () => numbers).flat();
  await inParallel(0, order.length - 1, inFlight, async (place) => {
    if (performance.now() > until) return;
    const number = order[place];
    await new Promise((over) => {
      tables.tap(server, number, random(tables.all[number].phones), over);
    });
  });
}

/** As people tap: `rate` a second on average, whether or not the taps before were answered, at any table. */
export function steady(tables, server, rate) {
  const late = [];
  let stopped = false;
  let due = performance.now();
  const tick = () => {
    if (stopped) return;
    while (due <= performance.now()) {
      late.push(performance.now() - due);
      const number = random(tables.all.length);
      tables.tap(server, number, random(tables.all[number].phones));
      due += (-Math.log(1 - Math.random()) / rate) * 1000;
    }
    setTimeout(tick, Math.min(due - performance.now(), 5));
  };
  tick();
  return () => {
    stopped = true;
    return late;
  };
}

/** Does `job` for every number from `first` to `last`, `atOnce` of them at a time. */
export async function inParallel(first, last, atOnce, job) {
  let next = first;
  const worker = async () => {
    while (next <= last) {
      next += 1;
      await job(next - 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Until no tap is under way, or `most` ms have passed. */
export async function drained(tables, most) {
  const until = performance.now() + most;
  while (tables.unseen && performance.now() < until) await pause(20);
}

export { pause };
