/** The layers of the code: imports point down only, and no files or folders import each other in a cycle. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

interface Import {
  from: string;
  /** The file's path from the root; a package's name for packages. */
  to: string;
}

/** Type-only imports included. */
const imports: Import[] = ['api', 'workers', 'core', 'sandbox', 'templates', 'client'].flatMap(folder =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => /\.[tj]s$/.test(file) && !/\.d\.ts$|(^|[/\\])(node_modules|dist)[/\\]/.test(file))
    .flatMap(file => importsOf(path.posix.join(folder, file.replaceAll('\\', '/')))),
);

function importsOf(file: string): Import[] {
  const source = readFileSync(path.join(root, file), 'utf8');
  const found = source.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s+'([^']+)'|import\(\s*'([^']+)'|(?:^|\n)import\s+'([^']+)'/g,
  );
  return [...found].map(([, named, dynamic, bare]) => {
    const target = named ?? dynamic ?? bare ?? '';
    return { from: file, to: target.startsWith('.') ? path.posix.join(path.posix.dirname(file), target) : target };
  });
}

/** The imports that match a forbidden pattern, as text. */
const violations = (from: RegExp, to: (target: string, from: string) => boolean): string[] =>
  imports
    .filter(found => from.test(found.from) && to(found.to, found.from))
    .map(({ from: file, to: target }) => `${file} → ${target}`);

const ours = /^(api|workers|core|sandbox|templates|client|bench|test)\//;
/** Previews and mails use the modules of the brochures, so all count as one kind. */
const kindOf = (file: string): string | undefined =>
  /^workers\/(?!runtime\/)([^/]+?)(?:-preview|-mail)?\//.exec(file)?.[1];
/**
 * The files of a job kind that other processes may import: its contract, its schemas and its request checks, with the
 * parsing that checks and pages share, so that a check never says something other than what is printed.
 */
const contractFiles =
  /^workers\/[^/]+\/(contract|listing|(?:lint|vocabulary)\/[^/]+|layout\/(?:labels|document-view|script-fonts|view\/(?:text|vocabulary|amenities|story|listing-content)))\.ts$/;
const isContract = (file: string): boolean => contractFiles.test(file);

/** From bottom to top. Entries of one line may not import each other, except those of `mayImportSiblings`. */
const layers = [
  ['core/values'],
  ['core/runtime'],
  ['core/telemetry'],
  ['core/postgres', 'core/redis'],
  ['core/oauth', 'core/idempotency', 'core/rate-limits', 'core/storage', 'core/egress', 'core/mail'],
  ['core/jobs'],
  ['core/callbacks', 'core/schedules'],
  ['core/notifications'],
  ['core/integrations/kit'],
  ['core/integrations/*'],
  ['core/effects'],
  ['core/sync'],
  ['core/domain/*'],
  ['core/monitoring'],
  ['core/doctor'],
  ['core/app.ts'],
  ['core/cli'],
  ['workers/services.ts'],
  ['workers/runtime'],
  ['workers/*'],
  ['workers/main.ts', 'workers/scheduler.ts', 'workers/doctor.ts'],
  ['api/config.ts'],
  ['api/redirect', 'api/limits.ts'],
  ['api/services.ts'],
  ['api/http'],
  ['api/document'],
  ['api/plugins'],
  ['api/jobs'],
  ['api/operations/*'],
  ['api/admin'],
  ['api/open-services.ts'],
  ['api/app.ts'],
  ['api/main.ts', 'api/cli'],
];

/** Subjects of the domain depend on each other in one direction; previews and mails use the modules of brochures. */
const mayImportSiblings = /^(core\/domain\/[^/]+|workers\/pdf(-preview|-mail)?)$/;

/** The folder or loose file, as named in `layers`, that contains a file. */
function placeOf(file: string): string {
  const parts = file.split('/');
  const isNested = /^(core\/(domain|integrations)|api\/operations)\//.test(file);
  return parts.slice(0, isNested ? 3 : 2).join('/');
}

function rankOf(place: string): number {
  const rank = layers.findIndex(names => names.includes(place));
  const folder = path.posix.dirname(place);
  const isFolder = !place.endsWith('.ts') && !place.endsWith('.mjs');
  return rank >= 0 || !isFolder ? rank : layers.findIndex(names => names.includes(`${folder}/*`));
}

const layered = imports.filter(
  ({ from, to }) => /^(api|core|workers)\//.test(from) && /^(api|core|workers)\//.test(to),
);

/** Strongly connected nodes, by Tarjan's algorithm. */
function cycles(edges: readonly { from: string; to: string }[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): number => {
    const own = index.size;
    let lowest = own;
    index.set(node, own);
    stack.push(node);
    for (const to of next.get(node) ?? []) {
      if (!index.has(to)) lowest = Math.min(lowest, visit(to));
      else if (stack.includes(to)) lowest = Math.min(lowest, index.get(to) ?? lowest);
    }
    low.set(node, lowest);
    if (lowest === own) {
      const members = stack.splice(stack.indexOf(node));
      if (members.length > 1) found.push(members.sort());
    }
    return lowest;
  };
  for (const node of next.keys()) if (!index.has(node)) visit(node);
  return found;
}

describe('layers', () => {
  it('are checked against the imports of the code', () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(imports).toContainEqual({ from: 'api/main.ts', to: 'core/app.ts' });
  });

  it('contain every folder and loose file of api, core and workers', () => {
    const places = new Set(layered.flatMap(({ from, to }) => [placeOf(from), placeOf(to)]));
    expect([...places].filter(place => rankOf(place) < 0)).toEqual([]);
  });

  it('import only what is below them', () => {
    const upward = layered.filter(({ from, to }) => {
      const [upper, lower] = [placeOf(from), placeOf(to)];
      if (upper === lower || (from.startsWith('api/') && to.startsWith('workers/'))) return false;
      const isSibling = rankOf(upper) === rankOf(lower);
      if (isSibling) return !(mayImportSiblings.test(upper) && mayImportSiblings.test(lower));
      return rankOf(upper) < rankOf(lower);
    });
    expect(upward.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('have no cycle between files', () => expect(cycles(layered)).toEqual([]));

  it('have no cycle between folders', () => {
    const edges = layered
      .map(({ from, to }) => ({ from: placeOf(from), to: placeOf(to) }))
      .filter(({ from, to }) => from !== to);
    expect(cycles(edges)).toEqual([]);
  });

  it('report cycles of two and more members', () => {
    const edge = (from: string, to: string) => ({ from, to });
    expect(cycles([edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('c', 'd')])).toEqual([['a', 'b', 'c']]);
    expect(cycles([edge('a', 'b'), edge('b', 'a'), edge('a', 'c'), edge('c', 'b')])).toEqual([['a', 'b', 'c']]);
    expect(cycles([edge('a', 'b'), edge('a', 'c'), edge('b', 'c')])).toEqual([]);
  });
});

describe('imports between processes', () => {
  it('allow the API to import contract files of the workers only', () => {
    expect(violations(/^api\//, to => to.startsWith('workers/') && !isContract(to))).toEqual([]);
  });

  it('do not lead from a contract file to other files of the workers', () =>
    expect(violations(contractFiles, to => to.startsWith('workers/') && !isContract(to))).toEqual([]));

  it('do not lead from the workers to the API', () => {
    expect(violations(/^workers\//, to => to.startsWith('api/'))).toEqual([]);
  });

  it('do not lead from core to any other folder', () => {
    expect(violations(/^core\//, to => ours.test(to) && !to.startsWith('core/'))).toEqual([]);
  });

  it('do not lead from one job kind to another', () => {
    expect(
      violations(/^workers\/[^/]+\//, (to, from) => kindOf(to) !== undefined && kindOf(to) !== kindOf(from)),
    ).toEqual([]);
  });

  it('do not lead from job kinds to BullMQ', () => {
    expect(violations(/^workers\/(?!runtime\/)[^/]+\//, to => to === 'bullmq')).toEqual([]);
  });

  it('do not lead from the sandbox to the service', () => {
    expect(violations(/^sandbox\//, to => ours.test(to) && !to.startsWith('sandbox/'))).toEqual([]);
  });

  it('do not lead from the published client to the service; the service does not import it', () => {
    expect(violations(/^client\//, to => ours.test(to) && !to.startsWith('client/'))).toEqual([]);
    expect(violations(/^(api|core|workers|sandbox)\//, to => to.startsWith('client/'))).toEqual([]);
  });

  it('do not lead out of a folder of templates, whose scripts run in the browser', () => {
    // The studio is bundled with its packages; other scripts are served as they are.
    const isBundled = (to: string, from: string) => from.startsWith('templates/studio/') && !ours.test(to);
    const isOutside = (to: string, from: string) => path.posix.dirname(to) !== path.posix.dirname(from);
    expect(violations(/^templates\//, (to, from) => isOutside(to, from) && !isBundled(to, from))).toEqual([]);
    expect(violations(/^(api|core|workers|sandbox)\//, to => to.startsWith('templates/'))).toEqual([]);
  });
});
