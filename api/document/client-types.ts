/** The client's types, generated from the API document. */
import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { discoverContracts } from '../../core/jobs/discover.ts';
import { rootFolder } from '../../core/runtime/discover.ts';
import { loadOperations } from '../http/load-operations.ts';
import { apiDocument } from './api-document.ts';

/** The generator is the client's own dependency, because it needs an older TypeScript. */
const generator = path.join(rootFolder, 'client/node_modules/openapi-typescript/bin/cli.js');

const output = path.join(rootFolder, 'client/src/schema.ts');

/** Writes `client/src/schema.ts`, which is not committed. */
export async function writeClientTypes(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'portal-api-'));
  try {
    const document = path.join(folder, 'openapi.json');
    const contracts = [...(await discoverContracts()).values()];
    await writeFile(document, JSON.stringify(apiDocument(await loadOperations(), contracts), forTypes));
    const draft = `${output}.${process.pid}`;
    // Members with a default are optional; JSON of any shape is `unknown` instead of `never`.
    const options = ['--default-non-nullable=false', '--empty-objects-unknown', `--output=${draft}`];
    await promisify(execFile)(process.execPath, [generator, document, ...options]);
    // Another process may compile the client at this moment.
    await rename(draft, output);
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
