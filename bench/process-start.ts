/**
 * Measures the start of each process of the built service: CPU time (user and system) and resident memory when it reports
 * that it is ready. A browser's own processes are not counted. Linux only. `-- process-start API pdf` measures only these.
 * Goals: a worker of one family 0.6 s and 120 MB, the API 0.8 s.
 */
import { freePort } from '../core/cli/free-port.ts';
import { openBuild } from './support/built-process.ts';
import { ownCpuSeconds } from './support/cpu-time.ts';
import { median } from './support/measure.ts';
import { residentMegabytes } from './support/process-tree.ts';

const rounds = 5;

const programs: [name: string, ...command: string[]][] = [
  ['API', 'api/main.js'],
  ['worker, leads', 'workers/main.js', 'leads'],
  ['worker, location-sync', 'workers/main.js', 'location-sync'],
  ['worker, pdf', 'workers/main.js', 'pdf'],
  ['worker, all kinds', 'workers/main.js'],
  ['scheduler', 'workers/scheduler.js'],
  ['sandbox', 'sandbox/main.js'],
];
const only = process.argv.slice(3);

const build = await openBuild();
const env = { NODE_ENV: 'development', LOG_LEVEL: 'error', SANDBOX_PORT: String(await freePort()) };

try {
  for (const [name, ...command] of programs) {
    if (only.length > 0 && !only.some(part => name.includes(part))) continue;
    const starts: { seconds: number; megabytes: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const { pid, stop } = await build.start(command, env);
      starts.push({ seconds: ownCpuSeconds(pid), megabytes: residentMegabytes(pid) });
      await stop();
    }
    const seconds = median(starts.map(one => one.seconds)).toFixed(2);
    const megabytes = median(starts.map(one => one.megabytes)).toFixed(0);
    process.stdout.write(`${name.padEnd(24)} ${seconds} s CPU ${megabytes.padStart(5)} MB\n`);
  }
} finally {
  await build.close();
}
