/** Finished brochures by the fingerprint of all they are made of: an identical request is answered from here. */
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { Store } from '../../core/storage/store.ts';
import { PhotoTrade } from './contract.ts';
import { TextFit } from './layout/fit-text.ts';

const BrochureRecord = z.object({
  key: z.string(),
  madeAt: z.coerce.date(),
  bytes: z.int(),
  sha256: z.string(),
  pages: z.int(),
  printedPhotos: z.int(),
  fits: z.array(TextFit),
  /** What its photos gave to fit into `maxBytes`. */
  traded: PhotoTrade.optional(),
});

export interface Brochure extends z.infer<typeof BrochureRecord> {
  /** Where its record lies. */
  recordKey: string;
}

/**
 * A brochure is deleted when the last job that has it expires, the first of them this long after it was made or
 * later. Whoever takes it within that time less a job's longest run has let the service know before the deletion.
 */
const reuseMarginMs = 15 * 60_000;

const recordKeyOf = (fingerprint: string): string => `pdf/${fingerprint.slice(0, 2)}/${fingerprint}.json`;

/** @param keptHours how long a result is kept */
export async function findBrochure(
  results: Store,
  fingerprint: string,
  keptHours: number,
): Promise<Brochure | undefined> {
  const recordKey = recordKeyOf(fingerprint);
  if (!(await results.has(recordKey))) return undefined;
  const { stream } = await results.open(recordKey);
  const { data: record } = BrochureRecord.safeParse(JSON.parse(await text(stream)));
  // One that another version of the service wrote counts for none.
  if (!record) return undefined;
  if (record.madeAt.getTime() + keptHours * 3_600_000 - reuseMarginMs < Date.now()) return undefined;
  return (await results.has(record.key)) ? { ...record, recordKey } : undefined;
}

/** The record is written after the PDF, so that a record means a whole PDF; the PDF may have expired since. */
export async function keepBrochure(
  results: Store,
  fingerprint: string,
  pdf: readonly Buffer[],
  told: Pick<Brochure, 'pages' | 'fits' | 'printedPhotos' | 'traded'>,
): Promise<Brochure> {
  // A key of its own each time it is made, so that the deletion of an older one never meets it.
  const key = `pdf/${fingerprint.slice(0, 2)}/${fingerprint}-${randomUUID().slice(0, 8)}.pdf`;
  const { size, sha256 } = await results.put(key, inOrder(pdf), { contentType: 'application/pdf' });
  const record = { key, madeAt: new Date(), bytes: size, sha256, ...told };
  const recordKey = recordKeyOf(fingerprint);
  await results.put(recordKey, Buffer.from(JSON.stringify(record)), { contentType: 'application/json' });
  return { ...record, recordKey };
}

async function* inOrder(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* parts;
}
