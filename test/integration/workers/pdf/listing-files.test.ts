/** The ZIP of a list with references that are equal, hostile or not Latin, extracted by three programs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type BrochureService, startBrochureService } from '../../../support/brochure-service.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const references = [
  'A-1',
  'A-1-3',
  'a-1',
  'A-1',
  'A-1-2',
  '../../etc/cron.d/x',
  '/etc/passwd',
  'C:\\Windows\\x',
  '..',
  '.hidden',
  'a\nb',
  'فيلا',
  'فيلا ٢',
  `long-${'x'.repeat(150)}`,
  `long-${'x'.repeat(150)}y`,
];
const extractors: Record<string, (zip: string, folder: string) => [command: string, args: string[]]> = {
  unzip: (zip, folder) => ['unzip', ['-q', zip, '-d', folder]],
  python3: (zip, folder) => ['python3', ['-m', 'zipfile', '-e', zip, folder]],
  jar: zip => ['jar', ['xf', zip]],
  bsdtar: zip => ['bsdtar', ['xf', zip]],
  '7z': (zip, folder) => ['7z', ['x', '-y', `-o${folder}`, zip]],
};
const isInstalled = (name: string): boolean => spawnSync(name, ['--help']).error === undefined;

const Result = z.object({ files: z.array(z.object({ name: z.string(), bytes: z.number() })) });

let brochures: BrochureService;
let zip: string;
/** Size by name, as the job reports them. */
let reported: [name: string, bytes: number][];

beforeAll(async () => {
  brochures = await startBrochureService('listing-files');
  const list = references.map(reference_number => ({ reference_number, title_en: 'A home' }));
  const { client } = brochures;
  const body = { list, files: { pdf: false, images: ['square'] } };
  const job = await client.waitForJob((await client.requestJob('POST', '/apps/portal/v1/pdf/files', { body })).id);
  expect(job).toMatchObject({ state: 'succeeded' });
  zip = path.join(temporaryFolder(), 'files.zip');
  writeFileSync(zip, (await client.request('GET', `/jobs/${job.id}/result`)).bytes);
  reported = Result.parse(job.result).files.map(({ name, bytes }) => [name, bytes]);
});
afterAll(() => brochures?.close());

it('names each file once, also on file systems that ignore case', () => {
  expect(reported).toHaveLength(references.length);
  expect(new Set(reported.map(([name]) => name.toLowerCase())).size).toBe(references.length);
});

it.each(Object.keys(extractors).filter(isInstalled))('%s extracts each file beside the others', name => {
  const folder = path.join(temporaryFolder(), 'extracted');
  mkdirSync(folder);
  const [command, args] = extractors[name]?.(zip, folder) ?? expect.fail();
  execFileSync(command, args, { cwd: folder });
  const found = readdirSync(folder).map(file => [file, readFileSync(path.join(folder, file)).length]);
  expect(found.sort()).toEqual([...reported].sort());
});
