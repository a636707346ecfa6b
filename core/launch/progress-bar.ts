/** Shows a job's progress: a live bar on a terminal, a line for each stage elsewhere. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isAtRest } from '../job-record.ts';
import type { DemoJob } from './demo-client.ts';

const width = 30;
const lookEveryMs = 150;

/**
 * @returns the job as it ended
 * @throws Error when it does not succeed
 */
export async function showJob(
  name: string,
  submitted: DemoJob,
  look: (id: string) => Promise<DemoJob>,
): Promise<DemoJob> {
  let job = submitted;
  let shown = '';
  const begun = Date.now();
  for (;;) {
    const seconds = ((Date.now() - begun) / 1_000).toFixed(1);
    const line = `${name.padEnd(18)} ${bar(job.progress?.percent ?? 0)} ${job.progress?.stage ?? job.state}`;
    if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line} ${seconds} s`);
    else if (line !== shown) process.stdout.write(`${line}\n`);
    shown = line;
    if (isAtRest(job.state)) break;
    await sleep(lookEveryMs);
    job = await look(job.id);
  }
  if (process.stdout.isTTY) process.stdout.write('\n');
  for (const warning of job.warnings)
    process.stdout.write(`  warning ${warning.pointer}: ${warning.detail}\n`);
  if (job.state !== 'succeeded') throw new Error(job.error?.detail ?? `the job is ${job.state}`);
  return job;
}

function bar(percent: number): string {
  const full = Math.round((percent / 100) * width);
  return `[${'█'.repeat(full)}${'░'.repeat(width - full)}] ${String(percent).padStart(3)} %`;
}
