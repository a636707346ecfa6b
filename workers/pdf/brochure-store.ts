/** Finished brochures by the fingerprint of all they are made of: an identical request is answered from here. */
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { Store } from '../../core/storage/store.ts';

const Fit = z.object({
  listing: z.int(),
  field: z.string(),
  level: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  cut: z.boolean(),
});

export const BrochureRecord = z.object({
  key: z.string(),
  bytes: z.int(),
  sha256: z.string(),
  pages: z.int(),
  printedPhotos: z.int(),
  fits: z.array(Fit),
});
export type BrochureRecord = z.infer<typeof BrochureRecord>;

const keyOf = (fingerprint: string, ending: 'pdf' | 'json'): string =>
  `pdf/${fingerprint.slice(0, 2)}/${fingerprint}.${ending}`;

/** The record is written after the PDF, so that a record means a whole PDF; the PDF may have expired since. */
export async function findBrochure(results: Store, fingerprint: string): Promise<BrochureRecord | undefined> {
  if (!(await results.has(keyOf(fingerprint, 'json')))) return undefined;
  if (!(await results.has(keyOf(fingerprint, 'pdf')))) return undefined;
  const { stream } = await results.open(keyOf(fingerprint, 'json'));
  return BrochureRecord.parse(JSON.parse(await text(stream)));
}

export async function keepBrochure(
  results: Store,
  fingerprint: string,
  pdf: Buffer,
  told: Pick<BrochureRecord, 'pages' | 'fits' | 'printedPhotos'>,
): Promise<BrochureRecord> {
  const key = keyOf(fingerprint, 'pdf');
  const { size, sha256 } = await results.put(key, pdf, { contentType: 'application/pdf' });
  const record = { key, bytes: size, sha256, ...told };
  const json = Buffer.from(JSON.stringify(record));
  await results.put(keyOf(fingerprint, 'json'), json, { contentType: 'application/json' });
  return record;
}
