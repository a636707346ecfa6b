/** The records that a job is about, by ids and reference numbers, without personal data. */
import { z } from 'zod';
import type { JobRecord } from '../../core/jobs/record.ts';
import { inWords } from './format.ts';

/** The members of payloads that identify the job's work and are no personal data. */
const Facts = z
  .object({
    what: z.unknown(),
    mode: z.unknown(),
    do: z.unknown(),
    system: z.unknown(),
    city: z.unknown(),
    crmId: z.unknown(),
    eventId: z.unknown(),
  })
  .partial();

const maxNamed = 3;

/** The position in the request, such as 0 of `/list/0/photo/1`. */
const positionIn = (pointer: string): number => Number(/^\/(?:list|leads)\/(\d+)/.exec(pointer)?.[1] ?? Number.NaN);

/** The listing or lead that a pointer into the request means. */
export const recordAt = (pointer: string, terms: readonly string[]): string | undefined => terms[positionIn(pointer)];

/** @param terms the search terms of its input */
export function affectedBy(
  { payload, error }: Pick<JobRecord, 'payload' | 'error'>,
  terms: readonly string[] = [],
): string {
  const faulty = (error?.errors ?? []).flatMap(({ pointer }) => recordAt(pointer, terms) ?? []);
  const records = [...new Set(faulty.length > 0 ? faulty : terms)];
  if (records.length > 0) {
    const more = records.length > maxNamed ? ` and ${records.length - maxNamed} more` : '';
    return records.slice(0, maxNamed).join(', ') + more;
  }
  const facts = Object.entries(Facts.safeParse(payload).data ?? {});
  const named = (name: string) => (['what', 'mode', 'do'].includes(name) ? '' : `${inWords(name)} `);
  return facts.flatMap(([name, value]) => (isPlain(value) ? named(name) + value : [])).join(', ');
}

const isPlain = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
