/** Imports run one way: api → the workers' contracts; api, workers → core; the sandbox and the templates stand alone. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

interface Import {
  from: string;
  /** The file's path from the root; a package's name for packages. */
  to: string;
}

const imports: Import[] = ['api', 'workers', 'core', 'sandbox', 'templates', 'client'].flatMap(folder =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => /\.[tj]s$/.test(file) && !/\.d\.ts$|(^|[/\\])(node_modules|dist)[/\\]/.test(file))
    .flatMap(file => importsOf(path.posix.join(folder, file.replaceAll('\\', '/')))),
);

function importsOf(file: string): Import[] {
  const source = readFileSync(path.join(root, file), 'utf8');
  const found = source.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s+'([^']+)'|import\(\s*'([^']+)'/g,
  );
  return [...found].map(([, static_, dynamic]) => {
    const target = static_ ?? dynamic ?? '';
    return {
      from: file,
      to: target.startsWith('.') ? path.posix.join(path.posix.dirname(file), target) : target,
    };
  });
}

/** The imports that a rule forbids. */
const breaking = (from: RegExp, to: (target: string, from: string) => boolean): string[] =>
  imports
    .filter(found => from.test(found.from) && to(found.to, found.from))
    .map(({ from: file, to: target }) => `${file} → ${target}`);

const ours = /^(api|workers|core|sandbox|templates|client|bench|test)\//;
/** Previews are made with the very parts of the brochures: the two kinds of job are one family. */
const familyOf = (file: string): string | undefined => /^workers\/([^/]+?)(?:-preview)?\//.exec(file)?.[1];
/** What of a job family another process may load: its contract, the schemas it is made of, and what checks a request. */
const contractFiles = /^workers\/[^/]+\/(contract|listing|lint\/[^/]+)\.ts$/;
const isContract = (file: string): boolean => contractFiles.test(file);

/** The demo speaks to the service as a portal does. */
const isClientOfDemo = (to: string, from: string): boolean =>
  to.startsWith('client/') && /^core\/launch\/(demo|progress-bar)\.ts$/.test(from);

describe('imports run one way', () => {
  it('is checked on real imports', () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(imports).toContainEqual({ from: 'api/main.ts', to: 'core/parts.ts' });
  });

  it('the API reads contracts of the workers, nothing else of them', () => {
    expect(breaking(/^api\//, to => to.startsWith('workers/') && !isContract(to))).toEqual([]);
  });

  it('a contract loads no handler', () => {
    expect(breaking(contractFiles, to => to.startsWith('workers/') && !isContract(to))).toEqual([]);
  });

  it('workers do not import the API', () => {
    expect(breaking(/^workers\//, to => to.startsWith('api/'))).toEqual([]);
  });

  it('core imports nothing above it', () => {
    expect(
      breaking(
        /^core\//,
        (to, from) => ours.test(to) && !to.startsWith('core/') && !isClientOfDemo(to, from),
      ),
    ).toEqual([]);
  });

  it('database, connectors and queues do not import each other', () => {
    const part = (file: string) => /^core\/(db|systems|jobs)\//.exec(file)?.[1];
    expect(
      breaking(/^core\/(db|systems|jobs)\//, (to, from) => part(to) !== undefined && part(to) !== part(from)),
    ).toEqual([]);
  });

  it('job families do not import each other', () => {
    expect(
      breaking(
        /^workers\/[^/]+\//,
        (to, from) => familyOf(to) !== undefined && familyOf(to) !== familyOf(from),
      ),
    ).toEqual([]);
  });

  it('handlers know no queue', () => {
    expect(breaking(/^workers\/[^/]+\//, to => to === 'bullmq')).toEqual([]);
  });

  it('the sandbox shares nothing with the service', () => {
    expect(breaking(/^sandbox\//, to => ours.test(to) && !to.startsWith('sandbox/'))).toEqual([]);
  });

  it('the client, which is published, shares nothing with the service, and only the demo uses it', () => {
    expect(breaking(/^client\//, to => ours.test(to) && !to.startsWith('client/'))).toEqual([]);
    expect(breaking(/^(api|workers|sandbox)\//, to => to.startsWith('client/'))).toEqual([]);
  });

  it('templates hold no code', () => {
    expect(imports.filter(({ from }) => from.startsWith('templates/'))).toEqual([]);
  });
});
