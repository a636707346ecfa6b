/** The do-not-call status of phone numbers, from the registry or from recent checks. */
import { and, desc, getTableColumns, gt, inArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { DncRegistry } from '../../integrations/dnc-registry/system.ts';
import type { Database } from '../../postgres/client.ts';
import { parsePhoneNumber } from '../../values/phone-number.ts';
import { dncCheckTable as table } from './schema.ts';

export const DncStatus = z
  .object({
    number: z.string().describe('As in the request.'),
    e164: z.string().nullable().describe('Null if the number is not a phone number.'),
    status: z
      .enum(['listed', 'clear', 'unknown', 'invalid'])
      .describe('`unknown`: the registry could not tell; treat it as `listed`.'),
    checkedAt: z.iso
      .datetime()
      .nullable()
      .describe('When the registry was asked; null if it was not asked or could not tell.'),
    source: z
      .enum(['registry', 'sandbox', 'outside-registry'])
      .nullable()
      .describe('`outside-registry`: a number of another country, which the registry does not cover.'),
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

interface DncQuery {
  numbers: readonly string[];
  /** True to ignore cached checks. */
  refresh: boolean;
  clientId: string;
}

/**
 * Returns the status of each number, in order; `unknown` if the registry could not tell.
 * @throws UpstreamError if all calls of the registry failed
 */
export async function dncStatuses(
  database: Database,
  registry: DncRegistry,
  { numbers, refresh, clientId }: DncQuery,
): Promise<DncStatus[]> {
  const parsed = numbers.map(number => ({ number, phone: parsePhoneNumber(number) }));
  const inRegistry = new Set(
    parsed.flatMap(({ phone }) => (phone?.countryCallingCode === '971' ? [phone.number] : [])),
  );
  const maxAgeHours = registry.config.DNC_CACHE_HOURS;
  const recent = refresh ? [] : await recentChecks(database, [...inRegistry], maxAgeHours);
  const known = new Map(recent.map(check => [check.e164, check]));
  const checks = await ask(
    registry,
    [...inRegistry].filter(number => !known.has(number)),
  );
  for (const check of checks) known.set(check.e164, check);
  await addChecks(database, checks, clientId);

  return parsed.map(({ number, phone }): DncStatus => {
    if (!phone) return { number, e164: null, status: 'invalid', checkedAt: null, source: null };
    const e164 = phone.number;
    if (!inRegistry.has(e164)) return { number, e164, status: 'clear', checkedAt: null, source: 'outside-registry' };
    const check = known.get(e164);
    if (!check) return { number, e164, status: 'unknown', checkedAt: null, source: null };
    const { status, checkedAt, source } = check;
    return { number, e164, status, checkedAt: checkedAt.toISOString(), source };
  });
}

async function ask(registry: DncRegistry, numbers: readonly string[]): Promise<DncCheck[]> {
  if (numbers.length === 0) return [];
  const { answers, failures } = await registry.check(numbers);
  if (answers.size === 0 && failures.length > 0) throw failures[0];
  const checkedAt = new Date();
  return [...answers].flatMap(([e164, status]) =>
    status === 'unknown' ? [] : [{ e164, status, checkedAt, source: registry.source }],
  );
}

const { clientId: _, ...columns } = getTableColumns(table);

type DncCheck = Omit<typeof table.$inferSelect, 'clientId'>;

/** The newest check of each number, not older than `hours`. */
async function recentChecks(database: Database, numbers: string[], hours: number): Promise<DncCheck[]> {
  if (numbers.length === 0) return [];
  return await database
    .selectDistinctOn([table.e164], columns)
    .from(table)
    .where(and(inArray(table.e164, numbers), gt(table.checkedAt, sql`now() - ${hours} * interval '1 hour'`)))
    .orderBy(table.e164, desc(table.checkedAt));
}

async function addChecks(database: Database, checks: readonly DncCheck[], clientId: string): Promise<void> {
  if (checks.length === 0) return;
  const rows = checks.map(check => ({ ...check, clientId }));
  await database.insert(table).values(rows).onConflictDoNothing();
}
