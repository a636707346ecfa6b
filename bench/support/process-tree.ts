/** Reads processes, their parents and their memory from `/proc`. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Process {
  pid: number;
  parent: number;
  /** The command line, arguments separated by spaces. */
  command: string;
}

export const runningProcesses = (): Process[] =>
  processIds().map(pid => ({ pid, parent: parentOf(pid), command: commandOf(pid) }));

/** Whether the process is `ancestor` or descends from it. */
export function descendsFrom(pid: number, ancestor: number): boolean {
  for (let current = pid; current > 1; current = parentOf(current)) if (current === ancestor) return true;
  return false;
}

/** Memory of the process in MB, with its share of shared memory. */
export const megabytesOf = (pid: number): number => numberAfter('Pss', `/proc/${pid}/smaps_rollup`) / 1_024;

/** Includes mapped files and shared memory. */
export const residentMegabytes = (pid: number): number => numberAfter('VmRSS', `/proc/${pid}/status`) / 1_024;

/** Returns no names for a folder that no longer exists. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns '' for the file of a process that has ended. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const processIds = (): number[] =>
  namesIn('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number);

const parentOf = (pid: number): number => numberAfter('PPid', `/proc/${pid}/status`);

const commandOf = (pid: number): string => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');

const numberAfter = (field: string, file: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(textOf(file))?.[1] ?? 0);
