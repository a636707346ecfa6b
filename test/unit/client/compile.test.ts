/** Compiles the type tests, as an application compiles its calls of the client. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { writeClientTypes } from '../../../api/document/client-types.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const options =
  '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --allowImportingTsExtensions --singleThreaded';
const target = '--target es2023 --module nodenext --lib es2023,dom,dom.iterable --types node --ignoreConfig';
const files = ['unknown-members.ts', 'job-types.ts'].map(file => path.join(import.meta.dirname, file));

let faults: string[];

beforeAll(async () => {
  await writeClientTypes();
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const args = [...`${options} ${target}`.split(' '), ...files];
  const output = await promisify(execFile)(compiler, args, { cwd: root }).then(
    () => '',
    (error: unknown) => z.object({ stdout: z.string() }).parse(error).stdout,
  );
  faults = output.split('\n').filter(line => line !== '');
}, 60_000);

const faultsOutside = (file: string): string[] => faults.filter(line => !line.includes(file));

describe('calls of the typed client', () => {
  it('do not compile with unknown members', () => expect(faultsOutside('job-types.ts')).toEqual([]));

  it('have results by kind, which are those of the service, and items of each list', () =>
    expect(faultsOutside('unknown-members.ts')).toEqual([]));

  it('have a result for every kind of job', () => {
    const types = readFileSync(path.join(import.meta.dirname, 'job-types.ts'), 'utf8');
    const contracts = readdirSync(path.join(root, 'workers'))
      .map(kind => `workers/${kind}/contract.ts`)
      .filter(file => existsSync(path.join(root, file)));
    expect(contracts.filter(file => !types.includes(`../../../${file}'`))).toEqual([]);
  });
});
