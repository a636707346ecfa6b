/**
 * Runs benchmarks, each in a process of its own that is stopped at a time limit.
 * `npm run bench` lists them. `npm run bench -- pdf-latency` runs one, `-- short` those that take less than five minutes
 * together, and `-- compare A B` shows the results of two runs side by side.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Results, resultsFolder, shown, table } from './support/results.ts';

const maxMinutes = 90;
const short = ['process-start', 'submissions', 'pdf-latency'];

const [name, ...rest] = process.argv.slice(2);
const files = await readdir(import.meta.dirname);
const names = files.filter(file => file.endsWith('.ts') && file !== 'run.ts').map(file => path.parse(file).name);

if (name === 'compare') await compare(rest);
else if (name === 'short') for (const each of short) await run(each, []);
else if (name !== undefined && names.includes(name)) await run(name, rest);
else {
  const more =
    '  short               those that take less than five minutes together\n  compare A B         two files of bench/results\n';
  process.stdout.write(`Benchmarks: npm run bench -- NAME\n${names.map(each => `  ${each}\n`).join('')}${more}`);
  if (name !== undefined && name !== '--help') process.exitCode = 1;
}

async function run(benchmark: string, options: readonly string[]): Promise<void> {
  process.stdout.write(`\n${benchmark}\n`);
  const file = path.join(import.meta.dirname, `${benchmark}.ts`);
  // A group of its own, so that its processes are stopped with it.
  const child = spawn(process.execPath, [...process.execArgv, file, ...options], { stdio: 'inherit', detached: true });
  const stop = (signal: NodeJS.Signals) => child.pid !== undefined && process.kill(-child.pid, signal);
  const limit = setTimeout(() => {
    process.stderr.write(`stopped after ${maxMinutes} minutes\n`);
    stop('SIGTERM');
  }, maxMinutes * 60_000);
  const interrupt = () => stop('SIGTERM');
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const [code] = await once(child, 'exit');
  clearTimeout(limit);
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  if (code !== 0) process.exitCode = 1;
}

/** Pairs the figures by their names; the ratios are comparable between machines, the values only on one machine. */
async function compare(given: readonly string[]): Promise<void> {
  const [before, after] = await Promise.all(given.map(readResults));
  if (!before || !after || given.length !== 2) {
    const stored = (await readdir(resultsFolder).catch(() => [])).map(file => `  ${path.parse(file).name}\n`);
    process.stderr.write(`Name two files of bench/results:\n${stored.join('') || '  there are none\n'}`);
    process.exitCode = 1;
    return;
  }
  const all = [...new Set([...before.figures, ...after.figures].map(({ what }) => what))];
  const rows = all.map(what => {
    const [one, other] = [before, after].map(({ figures }) => figures.find(each => each.what === what));
    const change = one && other ? `${shown((other.value / one.value - 1) * 100)} %` : '';
    return [
      what,
      shown(one?.value, one?.unit),
      shown(other?.value, other?.unit),
      change,
      shown(one?.ratio),
      shown(other?.ratio),
    ];
  });
  const head = ['', before.at.slice(0, 16), after.at.slice(0, 16), 'change', 'of the baseline', 'of the baseline'];
  process.stdout.write(`${before.benchmark} ${before.node}, ${after.benchmark} ${after.node}\n${table(head, rows)}\n`);
}

async function readResults(given: string): Promise<ReturnType<typeof Results.parse> | undefined> {
  const file = given.endsWith('.json') ? given : path.join(resultsFolder, `${given}.json`);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Results.parse(JSON.parse(text));
}
