/** `npm run bench` lists the benchmarks; `npm run bench -- pdf-throughput` runs one. Each prints a ratio to a baseline. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [name] = process.argv.slice(2);
const files = await readdir(import.meta.dirname);
const names = files.filter(file => file.endsWith('.ts') && file !== 'run.ts').map(file => path.parse(file).name);

if (name !== undefined && names.includes(name)) {
  await import(pathToFileURL(path.join(import.meta.dirname, `${name}.ts`)).href);
} else {
  process.stdout.write(`Benchmarks: npm run bench -- NAME\n${names.map(each => `  ${each}\n`).join('')}`);
  if (name !== undefined && name !== '--help') process.exitCode = 1;
}
