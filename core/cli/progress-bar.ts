/** Shows a job's progress: a live bar on a terminal, a line for each stage elsewhere. */
import type { Job, PortalClient } from '../../client/src/index.ts';

const width = 30;
const drawEveryMs = 150;

/**
 * @returns the job as it ended
 * @throws Error when it does not succeed
 */
export async function showJob(name: string, client: PortalClient, submitted: Job): Promise<Job> {
  let latest = submitted;
  let shown = '';
  const begun = Date.now();
  const draw = () => {
    const seconds = ((Date.now() - begun) / 1_000).toFixed(1);
    const line = `${name.padEnd(18)} ${bar(latest.progress?.percent ?? 0)} ${latest.progress?.stage ?? latest.state}`;
    if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line} ${seconds} s`);
    else if (line !== shown) process.stdout.write(`${line}\n`);
    shown = line;
  };
  const drawing = setInterval(draw, drawEveryMs);
  const onProgress = (job: Job) => {
    latest = job;
    draw();
  };
  const job = await client.waitForJob(submitted, { onProgress }).finally(() => clearInterval(drawing));
  onProgress(job);
  if (process.stdout.isTTY) process.stdout.write('\n');
  for (const { pointer, detail } of job.warnings) process.stdout.write(`  warning ${pointer}: ${detail}\n`);
  if (job.state !== 'succeeded') throw new Error(job.error?.detail ?? `the job is ${job.state}`);
  return job;
}

function bar(percent: number): string {
  const full = Math.round((percent / 100) * width);
  return `[${'█'.repeat(full)}${'░'.repeat(width - full)}] ${String(percent).padStart(3)} %`;
}
