/** CPU time of this benchmark and all processes it started; less affected by other load than elapsed time. Linux only. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Process, runningProcesses, textOf } from './process-tree.ts';

/** `/proc` counts CPU time in hundredths of a second. */
const msPerTick = 10;

/**
 * @param dataFolder data folder of the service; identifies its PostgreSQL, which detaches from this process
 * @returns ms; NaN on other systems than Linux
 */
export function cpuTime(dataFolder: string): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  const all = runningProcesses();
  const ours = new Set([process.pid]);
  const database = path.join(dataFolder, 'postgres');
  // If PostgreSQL runs under another account that cannot enter the folder, its data is under a hash of the path.
  const folderHash = createHash('sha256').update(database).digest('hex').slice(0, 12);
  const isDatabase = ({ command }: Process) => command.includes(database) || command.includes(`/${folderHash}/`);
  for (const each of all) if (isDatabase(each)) ours.add(each.pid);
  for (let before = 0; before < ours.size; ) {
    before = ours.size;
    for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid);
  }
  return [...ours].reduce((sum, pid) => sum + cpuMsOf(pid), 0);
}

/** User and system time of the process, without its children, in seconds. */
export const ownCpuSeconds = (pid: number): number => cpuMsOf(pid, [11, 12]) / 1_000;

/** User and system time of the process and its ended children. */
function cpuMsOf(pid: number, fields = [11, 12, 13, 14]): number {
  // The process name, in brackets, may contain anything; numeric fields follow it (proc(5)).
  const stat = textOf(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
  return fields.reduce((sum, field) => sum + Number(stat[field] ?? 0), 0) * msPerTick;
}
