/** The sample requests in templates/pdf/samples/: one a file, as a portal would send it. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ListingList } from '../listing.ts';

const folder = fileURLToPath(new URL('../../../templates/pdf/samples/', import.meta.url));

/** Where the photos of the samples are said to be: the sandbox's own address. */
const photoOrigin = 'http://127.0.0.1:9100';

export interface Sample {
  /** The file's name without its ending. */
  name: string;
  request: ListingList;
}

/** @param origin where the photos are served, in place of the sandbox */
export async function readSamples(origin: string): Promise<Sample[]> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.json')).sort();
  return await Promise.all(
    files.map(async file => {
      const text = (await readFile(path.join(folder, file), 'utf8')).replaceAll(photoOrigin, origin);
      return { name: path.basename(file, '.json'), request: ListingList.parse(JSON.parse(text)) };
    }),
  );
}
