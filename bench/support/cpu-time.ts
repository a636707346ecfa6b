/** CPU time that this benchmark and all it started have used: unlike the clock, it does not mind what else the machine does. Linux only. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** In `/proc`, CPU time is counted in hundredths of a second. */
const msPerTick = 10;

interface Process {
  pid: number;
  parent: number;
  command: string;
  ms: number;
}

/** @param dataFolder of the service: its PostgreSQL, which detaches itself, is told by it. @returns ms; NaN elsewhere */
export function cpuTime(dataFolder: string): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  const all = processes();
  const ours = new Set([process.pid]);
  const database = path.join(dataFolder, 'postgres');
  // Where an account that root lends it cannot enter, it lies elsewhere, under a hash of that place.
  const elsewhere = createHash('sha256').update(database).digest('hex').slice(0, 12);
  const isDatabase = ({ command }: Process) =>
    command.includes(database) || command.includes(`/${elsewhere}/`);
  for (const each of all) if (isDatabase(each)) ours.add(each.pid);
  for (let before = 0; before < ours.size; ) {
    before = ours.size;
    for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid);
  }
  return all.filter(({ pid }) => ours.has(pid)).reduce((sum, { ms }) => sum + ms, 0);
}

function processes(): Process[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap((name): Process[] => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
        // The name, in brackets, may hold anything; the fields after it are numbers (proc(5)).
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
        const ticks = Number(stat[11]) + Number(stat[12]) + Number(stat[13]) + Number(stat[14]);
        return [{ pid: Number(name), parent: Number(stat[1]), command, ms: ticks * msPerTick }];
      } catch {
        // The process ended meanwhile.
        return [];
      }
    });
}
