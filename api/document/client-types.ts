/** The client's types and the routes of its methods, generated from the API document. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { discoverContracts } from '../../core/jobs/discover.ts';
import { rootFolder } from '../../core/runtime/discover.ts';
import { loadOperations } from '../http/load-operations.ts';
import { apiDocument } from './api-document.ts';
import { methodTypes, rawRoutes } from './client-method-types.ts';
import { clientMethods, routesModule } from './client-methods.ts';
import { withSharedProblems } from './client-problems.ts';
import type { JsonObject } from './examples.ts';

/** The generator is the client's own dependency, because it needs an older TypeScript. */
const generator = path.join(rootFolder, 'client/node_modules/openapi-typescript/bin/cli.js');

const sources = path.join(rootFolder, 'client/src');

/** Writes the generated files of `client/src`. Only `routes.ts` is committed, because the client needs it to run. */
export async function writeClientTypes(): Promise<void> {
  const contracts = [...(await discoverContracts()).values()];
  const document = apiDocument(await loadOperations(), contracts);
  const methods = clientMethods(document);
  await replaceFile('schema.ts', `${await documentTypes(document)}\n${rawRoutes(document)}`);
  await replaceFile('method-types.ts', methodTypes(methods));
  await replaceFile('routes.ts', routesModule(document, methods));
}

/** Another process may compile the client at this moment. */
async function replaceFile(name: string, text: string): Promise<void> {
  const file = path.join(sources, name);
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, file);
}

/** The interfaces `components` and `operations`. */
async function documentTypes(document: JsonObject): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'portal-api-'));
  try {
    const input = path.join(folder, 'openapi.json');
    const output = path.join(folder, 'schema.ts');
    await writeFile(input, JSON.stringify(withSharedProblems(document), forTypes));
    // Members with a default are optional; JSON of any shape is `unknown` instead of `never`.
    const options = ['--default-non-nullable=false', '--empty-objects-unknown', `--output=${output}`];
    await promisify(execFile)(process.execPath, [generator, input, ...options]);
    const interfaces = (await readFile(output, 'utf8')).split(/^(?=export )/m);
    const used = interfaces.filter(text => /^export interface (components|operations) /.test(text));
    return used.join('').replace(/^( {4})+/gm, indent => '\t'.repeat(indent.length / 4));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Without examples and response headers, which would be most of the file, and with closed objects, so that misspelt fields do
 * not compile.
 */
function forTypes(name: string, value: unknown): unknown {
  const isLeftOut = /^(examples?|headers)$/.test(name) || (name === 'additionalProperties' && value === true);
  return isLeftOut ? undefined : value;
}
