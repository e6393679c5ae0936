// The load generator: reads one order per line as JSON, and answers each with one line of JSON.
//   node main.mjs <companion|boardgameio|colyseus> <http://127.0.0.1:port> <pid of the server>
import { createInterface } from 'node:readline';
import { drained, flatOut, inParallel, pause, round, steady } from './paces.mjs';
import { cpu, machine, memory } from './proc.mjs';
import { Tables } from './tables.mjs';

const [kind, base, serverId] = process.argv.slice(2);
const pid = Number(serverId);
const tables = new Tables();
const { default: Server } = await import(`./${kind}.mjs`);
const server = new Server({
  base,
  hears: (number, phone, counter) => tables.hears(number, phone, counter),
  drops: () => {
    tables.drops += 1;
  },
});

/** Opens tables until there are `tables` of them, and all phones of the new ones join. */
async function join({ tables: wanted, phones, atOnce = 40 }) {
  const began = performance.now();
  await inParallel(tables.all.length, wanted - 1, atOnce, async (number) => {
    tables.add(number, phones);
    await server.openTable(number, phones);
    for (let phone = 0; phone < phones; phone += 1) await server.join(number, phone);
  });
  return { seconds: (performance.now() - began) / 1000 };
}

/** Taps for `warmUp` seconds, and then for `seconds` which count. */
async function tap({ inFlight, rate, warmUp = 1, seconds }) {
  globalThis.gc?.(); // what joining left behind is not to be swept up while we listen
  const stop = inFlight ? flatOut(tables, server, inFlight) : steady(tables, server, rate);
  await pause(warmUp * 1000);
  const used = await measured(() => pause(seconds * 1000));
  const late = stop() ?? [];
  await drained(tables, 15_000);
  return { ...used, ...told(), late: times(late) };
}

/** Taps each table from `first` on so many times. */
async function tapEach({ first, times: often, inFlight, most }) {
  const used = await measured(() => round(tables, server, first, often, inFlight, most * 1000));
  return { ...used, ...told() };
}

/** What the server, we and others used while it went on; and how much was seen by everyone. */
async function measured(go) {
  tables.forgetTimes();
  const before = { at: performance.now(), server: cpu(pid), own: process.cpuUsage(), machine: machine() };
  await go();
  const took = performance.now() - before.at;
  const used = cpu(pid) - before.server;
  const own = process.cpuUsage(before.own);
  const ownMs = (own.user + own.system) / 1000;
  const seen = tables.seenByAll.length;
  return {
    perSecond: (seen / took) * 1000,
    cpuPerTap: used / seen,
    serverCpu: used / took,
    generatorCpu: ownMs / took,
    otherCpu: (machine() - before.machine - used - ownMs) / took,
  };
}

function told() {
  return {
    taps: tables.sent,
    seenByAll: times(tables.seenByAll),
    answered: times(tables.answered),
    lost: tables.unseen,
    errors: tables.errors,
    why: tables.whySome,
    drops: tables.drops,
  };
}

/** One more stream for every phone. */
async function listenMore({ page, phones, atOnce = 40 }) {
  await inParallel(0, tables.all.length - 1, atOnce, async (number) => {
    for (let phone = 0; phone < phones; phone += 1) await server.listenMore(number, phone, page);
  });
  return { streams: tables.all.length * phones };
}

async function weigh() {
  await pause(500); // what was just closed or freed shows a little later
  return { kb: memory(pid) };
}

function times(all) {
  const sorted = Float64Array.from(all).sort();
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? null;
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

const ORDERS = { join, tap, tapEach, listenMore, weigh };
for await (const line of createInterface({ input: process.stdin })) {
  const { order, ...how } = JSON.parse(line);
  let answer;
  try {
    answer = await ORDERS[order](how);
  } catch (why) {
    answer = { failed: `${order}: ${why.message}` };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
server.close();
process.exit(0);
