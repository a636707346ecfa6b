/**
 * Measures the start of each process of the built service: CPU time (user and system) and resident memory when it reports
 * that it is ready. A browser's own processes are not counted. Linux only. `-- process-start API pdf` measures only these.
 * Goals: a worker of one family 0.6 s and 120 MB, the API 0.8 s.
 */
import { execFileSync } from 'node:child_process';
import { z } from 'zod';
import { freePort } from '../core/runtime/free-port.ts';
import { openBuild } from './support/built-process.ts';
import { ownCpuSeconds } from './support/cpu-time.ts';
import { median } from './support/measure.ts';
import { residentMegabytes } from './support/process-tree.ts';
import { figure } from './support/results.ts';

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
const only = process.argv.slice(2);

const goals: Record<string, string> = { API: '0.8 s', 'worker, leads': '0.6 s', 'worker, location-sync': '0.6 s' };

/** Node.js with an empty program. */
function startBare(): { seconds: number; megabytes: number } {
  const program = 'JSON.stringify({ ...process.cpuUsage(), rss: process.memoryUsage.rss() })';
  const Used = z.object({ user: z.number(), system: z.number(), rss: z.number() });
  const { user, system, rss } = Used.parse(
    JSON.parse(execFileSync(process.execPath, ['-p', program], { encoding: 'utf8' })),
  );
  return { seconds: (user + system) / 1e6, megabytes: rss / 1_048_576 };
}

const build = await openBuild();
const env = { NODE_ENV: 'development', LOG_LEVEL: 'error', SANDBOX_PORT: String(await freePort()) };

try {
  const empty = Array.from({ length: rounds }, startBare);
  const bare = {
    seconds: median(empty.map(one => one.seconds)),
    megabytes: median(empty.map(one => one.megabytes)),
  };
  for (const [name, ...command] of programs) {
    if (only.length > 0 && !only.some(part => name.includes(part))) continue;
    const starts: { seconds: number; megabytes: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const { pid, stop } = await build.start(command, env);
      starts.push({ seconds: ownCpuSeconds(pid), megabytes: residentMegabytes(pid) });
      await stop();
    }
    figure(`${name}: CPU`, median(starts.map(one => one.seconds)), 's', {
      baseline: bare.seconds,
      goal: goals[name] ?? '',
    });
    figure(`${name}: memory`, median(starts.map(one => one.megabytes)), 'MB', { baseline: bare.megabytes });
  }
} finally {
  await build.close();
}
