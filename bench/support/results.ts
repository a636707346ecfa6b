/**
 * The figures of a benchmark: a table when it ends, and a file in `bench/results` that `npm run bench -- compare` reads.
 * Absolute values depend on the machine and its load; the ratio to a baseline of the same run depends on them little.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';

const Figure = z.object({
  what: z.string(),
  value: z.number(),
  unit: z.string(),
  /** The value divided by that of the baseline. */
  ratio: z.number().optional(),
  goal: z.string().optional(),
});
type Figure = z.infer<typeof Figure>;

export const Results = z.object({
  benchmark: z.string(),
  arguments: z.array(z.string()),
  at: z.iso.datetime(),
  node: z.string(),
  cores: z.int(),
  figures: z.array(Figure),
});

export const resultsFolder = path.join(import.meta.dirname, '..', 'results');

const figures: Figure[] = [];

/** @param about.baseline the value of the baseline in the same run, in the same unit */
export function figure(
  what: string,
  value: number,
  unit: string,
  { baseline, goal }: { baseline?: number; goal?: string } = {},
): void {
  if (figures.length === 0) process.once('exit', finish);
  figures.push({
    what,
    value,
    unit,
    ...(baseline !== undefined && { ratio: value / baseline }),
    ...(goal && { goal }),
  });
}

function finish(): void {
  const rows = figures.map(({ what, value, unit, ratio, goal = '' }) => [what, shown(value, unit), shown(ratio), goal]);
  process.stdout.write(`\n${table(['', 'measured', 'of the baseline', 'goal'], rows)}\n`);
  const benchmark = path.parse(process.argv[1] ?? '').name;
  const at = new Date().toISOString();
  const results: z.infer<typeof Results> = {
    benchmark,
    arguments: process.argv.slice(2),
    at,
    node: process.version,
    cores: os.availableParallelism(),
    figures,
  };
  mkdirSync(resultsFolder, { recursive: true });
  const name = `${benchmark}-${at.slice(0, 19).replaceAll(':', '-')}`;
  writeFileSync(path.join(resultsFolder, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`);
  process.stdout.write(`bench/results/${name}.json\n`);
}

/** Three significant digits. */
export const shown = (value: number | undefined, unit = ''): string =>
  value === undefined
    ? ''
    : `${value >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3))} ${unit}`.trim();

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)));
  return lines
    .map(line =>
      line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))),
    )
    .map(cells => cells.join('  ').trimEnd())
    .join('\n');
}
