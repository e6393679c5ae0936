// What was tapped, and how far every phone has seen it.
//
// Each tap raises its table's counter by one. A tap has been seen by a phone once the phone heard of a counter that is
// at least the tap's own; so a server that tells of several taps at once is judged fairly.

export class Tables {
  constructor() {
    this.all = [];
    this.drops = 0;
    this.forgetTimes();
  }

  forgetTimes() {
    this.sent = 0;
    this.errors = 0;
    this.whySome = [];
    this.seenByAll = []; // ms from the tap until the last phone of the table saw it
    this.answered = []; // ms until the tapping phone heard that it was kept
    this.since = performance.now();
  }

  add(number, phones) {
    this.all[number] = { phones, newest: 0, seen: new Array(phones).fill(-1), underway: new Map(), broken: false };
  }

  hears(number, phone, counter) {
    const table = this.all[number];
    const before = table.seen[phone];
    if (counter <= before) return;
    table.seen[phone] = counter;
    if (before < 0) {
      table.newest = Math.max(table.newest, counter);
      return;
    }
    const now = performance.now();
    for (let each = before + 1; each <= counter; each += 1) {
      const tap = table.underway.get(each);
      if (!tap) continue;
      tap.seenBy += 1;
      if (tap.seenBy === table.phones) this.seenByEveryone(tap, now);
    }
  }

  seenByEveryone(tap, now) {
    if (tap.at >= this.since) this.seenByAll.push(now - tap.at);
    tap.seen = true;
    this.settle(tap);
  }

  /** A tap is over when everyone has seen it and, where the server answers, it was answered. */
  settle(tap) {
    if (!tap.seen || !tap.answered) return;
    tap.table.underway.delete(tap.counter);
    tap.over(true);
  }

  /** Taps; `over` is called once with whether it went well. */
  tap(server, number, phone, over = () => {}) {
    const table = this.all[number];
    if (table.broken) {
      over(false);
      return;
    }
    table.newest += 1;
    const tap = { table, counter: table.newest, at: performance.now(), seenBy: 0, seen: false, answered: false, over };
    table.underway.set(tap.counter, tap);
    this.sent += 1;
    Promise.resolve(server.tap(number, phone)).then(
      () => {
        if (tap.at >= this.since) this.answered.push(performance.now() - tap.at);
        tap.answered = true;
        this.settle(tap);
      },
      (why) => this.fail(table, why),
    );
  }

  /** After a refused tap nobody can say which counter belongs to which tap, so the table is left alone from then on. */
  fail(table, why) {
    this.errors += 1;
    if (this.whySome.length < 3) this.whySome.push(why.message);
    table.broken = true;
    for (const tap of table.underway.values()) tap.over(false);
    table.underway.clear();
  }

  get unseen() {
    return this.all.reduce((sum, table) => sum + table.underway.size, 0);
  }
}
