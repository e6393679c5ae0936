// What the kernel says about a process and its children.
import { readFileSync, readdirSync } from 'node:fs';

const TICK = 10; // ms; Linux counts CPU time in hundredths of a second

const afterName = (stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

function family(pid) {
  const parents = new Map();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      parents.set(Number(name), Number(afterName(readFileSync(`/proc/${name}/stat`, 'latin1'))[1]));
    } catch {
      // gone meanwhile
    }
  }
  const found = [pid];
  for (const each of found) {
    for (const [child, parent] of parents) if (parent === each) found.push(child);
  }
  return found;
}

/** CPU time in ms that the process and its children have used. */
export function cpu(pid) {
  let ms = 0;
  for (const each of family(pid)) {
    const fields = afterName(readFileSync(`/proc/${each}/stat`, 'latin1'));
    ms += (Number(fields[11]) + Number(fields[12])) * TICK;
  }
  return ms;
}

/** Memory in kB: its own, and its share of what it shares. */
export function memory(pid) {
  let kb = 0;
  for (const each of family(pid)) {
    kb += Number(/^Pss: +(\d+)/m.exec(readFileSync(`/proc/${each}/smaps_rollup`, 'latin1'))[1]);
  }
  return kb;
}

/** CPU time in ms that the whole machine was busy. */
export function machine() {
  const [user, nice, system] = readFileSync('/proc/stat', 'latin1').split('\n')[0].split(/ +/).slice(1).map(Number);
  return (user + nice + system) * TICK;
}
