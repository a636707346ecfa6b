/** The sample requests in templates/pdf/samples/: one a file, as a portal would send it. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { PageLanguage } from '../contract.ts';
import { ListingList } from '../listing.ts';

const folder = fileURLToPath(new URL('../../../templates/pdf/samples/', import.meta.url));

/** Where the photos of the samples are said to be: the sandbox's own address. */
const photoOrigin = 'http://127.0.0.1:9100';

const SampleRequest = z.object({
  ...ListingList.shape,
  cover: z.boolean().default(false),
  language: PageLanguage,
  brand: z.string().optional(),
});

export interface Sample {
  /** The file's name without its ending. */
  name: string;
  request: z.output<typeof SampleRequest>;
}

export async function sampleNames(): Promise<string[]> {
  const files = await readdir(folder);
  return files.flatMap(file => (file.endsWith('.json') ? path.basename(file, '.json') : [])).sort();
}

/** @param origin where the photos are served, in place of the sandbox */
export async function readSample(name: string, origin: string): Promise<Sample> {
  const text = (await readFile(path.join(folder, `${name}.json`), 'utf8')).replaceAll(photoOrigin, origin);
  return { name, request: SampleRequest.parse(JSON.parse(text)) };
}
