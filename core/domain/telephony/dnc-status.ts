/** The do-not-call status of phone numbers: what the registry says, or said not long ago. */

import { and, desc, gt, inArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { DncRegistry } from '../../integrations/dnc-registry/system.ts';
import type { Database } from '../../postgres/client.ts';
import { parsePhoneNumber } from '../../values/phone-number.ts';
import { dncCheckTable as table } from './schema.ts';

export const DncStatus = z
  .object({
    number: z.string().describe('As it was sent.'),
    e164: z.string().nullable().describe('Null when it is no phone number.'),
    status: z
      .enum(['listed', 'clear', 'unknown', 'invalid'])
      .describe('`unknown`: the registry could not tell. It must be taken for `listed`.'),
    checkedAt: z.iso
      .datetime()
      .nullable()
      .describe('When the registry was asked; null when it was not, or could not tell.'),
    source: z
      .enum(['registry', 'sandbox', 'outside-registry'])
      .nullable()
      .describe('`outside-registry`: a number of another country, which the registry does not know.'),
  })
  .meta({
    id: 'DncStatus',
    examples: [
      {
        number: '050 123 4561',
        e164: '+971501234561',
        status: 'clear',
        checkedAt: '2026-01-31T08:00:00.000Z',
        source: 'registry',
      },
    ],
  });
export type DncStatus = z.infer<typeof DncStatus>;

export interface DncQuery {
  numbers: readonly string[];
  /** Asks the registry whatever is remembered. */
  refresh: boolean;
  clientId: string;
}

/**
 * Tells the status of each number, in order. A number that the registry could not tell of is `unknown`.
 * @throws UpstreamError when the registry answered none of the calls that were needed
 */
export async function dncStatuses(
  database: Database,
  registry: DncRegistry,
  { numbers, refresh, clientId }: DncQuery,
): Promise<DncStatus[]> {
  const parsed = numbers.map(number => ({ number, phone: parsePhoneNumber(number) }));
  const emirati = new Set(
    parsed.flatMap(({ phone }) => (phone?.countryCallingCode === '971' ? [phone.number] : [])),
  );
  const checks = createDncChecks(database);
  const known = refresh
    ? new Map<string, DncCheck>()
    : await checks.recent([...emirati], registry.config.DNC_CACHE_HOURS);
  const asked = [...emirati].filter(number => !known.has(number));
  for (const check of await ask(registry, asked)) known.set(check.e164, check);
  await checks.add(
    asked.flatMap(number => known.get(number) ?? []),
    clientId,
  );

  return parsed.map(({ number, phone }): DncStatus => {
    if (!phone) return { number, e164: null, status: 'invalid', checkedAt: null, source: null };
    const e164 = phone.number;
    if (!emirati.has(e164))
      return { number, e164, status: 'clear', checkedAt: null, source: 'outside-registry' };
    const check = known.get(e164);
    if (!check) return { number, e164, status: 'unknown', checkedAt: null, source: null };
    return {
      number,
      e164,
      status: check.status,
      checkedAt: check.checkedAt.toISOString(),
      source: check.source,
    };
  });
}

async function ask(registry: DncRegistry, numbers: readonly string[]) {
  if (numbers.length === 0) return [];
  const { answers, failures } = await registry.check(numbers);
  if (answers.size === 0 && failures.length > 0) throw failures[0];
  const checkedAt = new Date();
  return [...answers].flatMap(([e164, status]) =>
    status === 'unknown' ? [] : [{ e164, status, checkedAt, source: registry.source }],
  );
}

export type DncCheck = Omit<typeof table.$inferSelect, 'clientId'>;

export function createDncChecks(database: Database) {
  return {
    /** The newest check of each number that is not older than so many hours. */
    async recent(numbers: readonly string[], hours: number): Promise<Map<string, DncCheck>> {
      if (numbers.length === 0) return new Map();
      const rows = await database
        .selectDistinctOn([table.e164], {
          e164: table.e164,
          checkedAt: table.checkedAt,
          status: table.status,
          source: table.source,
        })
        .from(table)
        .where(
          and(
            inArray(table.e164, [...numbers]),
            gt(table.checkedAt, sql`now() - ${hours} * interval '1 hour'`),
          ),
        )
        .orderBy(table.e164, desc(table.checkedAt));
      return new Map(rows.map(row => [row.e164, row]));
    },

    async add(checks: readonly DncCheck[], clientId: string): Promise<void> {
      if (checks.length === 0) return;
      await database
        .insert(table)
        .values(checks.map(check => ({ ...check, clientId })))
        .onConflictDoNothing();
    },
  };
}
