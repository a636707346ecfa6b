/** Stored brochures by the fingerprint of everything that determines their bytes. Identical requests reuse them. */
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { Store } from '../../core/storage/store.ts';
import { ReducedQuality } from './contract.ts';
import { TextFit } from './layout/fit-text.ts';

const BrochureRecord = z.object({
  key: z.string(),
  madeAt: z.coerce.date(),
  bytes: z.int(),
  sha256: z.string(),
  pages: z.int(),
  printedPhotos: z.int(),
  fits: z.array(TextFit),
  /** The PDF is as the browser wrote it; it is not reused. */
  isUnprocessed: z.boolean().optional(),
  /** The lower photo quality, when `maxBytes` required one. */
  traded: ReducedQuality.optional(),
});

export interface Brochure extends z.infer<typeof BrochureRecord> {
  /** Storage key of the record. */
  recordKey: string;
}

/**
 * A brochure is deleted when the last job that refers to it expires, at the earliest `retentionHours` after it was made.
 * A job that reuses it must be recorded before that, so the last minutes, longer than any job runs, do not count.
 */
const reuseMarginMs = 15 * 60_000;

const recordKeyOf = (fingerprint: string): string => `pdf/${fingerprint.slice(0, 2)}/${fingerprint}.json`;

/** @param retentionHours hours after which a result is deleted */
export async function findBrochure(
  results: Store,
  fingerprint: string,
  retentionHours: number,
): Promise<Brochure | undefined> {
  const recordKey = recordKeyOf(fingerprint);
  if (!(await results.has(recordKey))) return undefined;
  const { stream } = await results.open(recordKey);
  const { data: record } = BrochureRecord.safeParse(JSON.parse(await text(stream)));
  // Ignores records that another version of the service wrote.
  if (!record || record.isUnprocessed) return undefined;
  if (record.madeAt.getTime() + retentionHours * 3_600_000 - reuseMarginMs < Date.now()) return undefined;
  return (await results.has(record.key)) ? { ...record, recordKey } : undefined;
}

/** A new key each time, so that deleting an older copy never deletes this one. */
export const newPdfKey = (fingerprint: string): string =>
  `pdf/${fingerprint.slice(0, 2)}/${fingerprint}-${randomUUID().slice(0, 8)}.pdf`;

/** Writes the record of a stored PDF: a record implies a complete PDF, which may have expired since. */
export async function recordBrochure(
  results: Store,
  fingerprint: string,
  brochure: Omit<Brochure, 'madeAt' | 'recordKey'>,
): Promise<Brochure> {
  const record = { ...brochure, madeAt: new Date() };
  const recordKey = recordKeyOf(fingerprint);
  await results.put(recordKey, Buffer.from(JSON.stringify(record)), { contentType: 'application/json' });
  return { ...record, recordKey };
}
