/** What happened within some hours, in numbers, for the daily digest. */
import { and, asc, count, desc, eq, gte, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { clickTable as click } from '../../core/domain/links/click-schema.ts';
import { linkTable as link } from '../../core/domain/links/schema.ts';
import { smsMessageTable as sms } from '../../core/domain/telephony/schema.ts';
import { effectTable as effect } from '../../core/effects/schema.ts';
import { jobTable as job } from '../../core/jobs/schema/jobs.ts';
import { oauthClientTable as client } from '../../core/oauth/schema.ts';
import { scheduleFireTable as fire } from '../../core/schedules/schema.ts';

export interface Period {
  from: Date;
  /** Before it. */
  to: Date;
}

const within = (column: PgColumn, { from, to }: Period): SQL | undefined =>
  and(gte(column, from), lt(column, to));
const countWhere = (condition: SQL) => sql<number>`(count(*) filter (where ${condition}))::int`;

/** Of the jobs that ended, by kind. */
export const endedJobs = (db: NodePgDatabase, period: Period) => {
  const seconds = sql`extract(epoch from ${job.finishedAt} - ${job.startedAt})`;
  const quantile = (share: number) =>
    sql<
      number | null
    >`(percentile_cont(${share}::float8) within group (order by ${seconds}) filter (where ${job.state} <> 'cancelled'))::float8`;
  return db
    .select({
      kind: job.kind,
      succeeded: countWhere(eq(job.state, 'succeeded')),
      failed: countWhere(eq(job.state, 'failed')),
      cancelled: countWhere(eq(job.state, 'cancelled')),
      typicalSeconds: quantile(0.5),
      slowSeconds: quantile(0.95),
    })
    .from(job)
    .where(within(job.finishedAt, period))
    .groupBy(job.kind);
};

/** The commonest first. */
export const commonErrors = (db: NodePgDatabase, period: Period, limit: number) => {
  const title = sql<string>`coalesce(${job.error} ->> 'title', 'no error')`;
  return db
    .select({ kind: job.kind, title, count: count(), lastJobId: sql<string>`max(${job.id})` })
    .from(job)
    .where(and(eq(job.state, 'failed'), within(job.finishedAt, period)))
    .groupBy(job.kind, title)
    .orderBy(desc(count()), asc(job.kind), asc(title))
    .limit(limit);
};

/** Of the runs whose result is the report of a synchronisation. */
export const syncFigures = (db: NodePgDatabase, period: Period) => {
  const sum = (name: string) => sql<number>`coalesce(sum((${job.result} ->> ${name})::int), 0)::int`;
  return db
    .select({
      kind: job.kind,
      runs: count(),
      read: sum('read'),
      created: sum('created'),
      updated: sum('updated'),
      deleted: sum('deleted'),
      failed: sum('failed'),
      calls: sum('calls'),
    })
    .from(job)
    .where(
      and(
        eq(job.state, 'succeeded'),
        within(job.finishedAt, period),
        sql`${job.result} -> 'dryRun' = 'false'::jsonb and jsonb_typeof(${job.result} -> 'matched') = 'number'`,
      ),
    )
    .groupBy(job.kind)
    .orderBy(asc(job.kind));
};

export const unpunctualFires = (db: NodePgDatabase, period: Period) =>
  db
    .select({ schedule: fire.schedule, outcome: fire.outcome, count: count() })
    .from(fire)
    .where(and(ne(fire.outcome, 'fired'), within(fire.at, period)))
    .groupBy(fire.schedule, fire.outcome)
    .orderBy(asc(fire.schedule), asc(fire.outcome));

export const unknownEffects = (db: NodePgDatabase, period: Period) =>
  db
    .select({ kind: effect.kind, count: count() })
    .from(effect)
    .where(and(eq(effect.state, 'unknown'), within(effect.createdAt, period)))
    .groupBy(effect.kind)
    .orderBy(asc(effect.kind));

export async function smsFigures(db: NodePgDatabase, period: Period) {
  const [row] = await db
    .select({
      sent: countWhere(eq(sms.state, 'sent')),
      unknown: countWhere(ne(sms.state, 'sent')),
      parts: sql<number>`coalesce(sum(${sms.parts}), 0)::int`,
    })
    .from(sms)
    .where(within(sms.createdAt, period));
  return row ?? { sent: 0, unknown: 0, parts: 0 };
}

/** Clicks are those of people. */
export async function linkFigures(db: NodePgDatabase, period: Period, mostLinks: number) {
  const byPeople = and(eq(click.class, 'human'), within(click.at, period));
  const created = await db.$count(link, within(link.createdAt, period));
  const [clicked] = await db
    .select({ clicks: count(), scans: countWhere(eq(click.scanned, true)) })
    .from(click)
    .where(byPeople);
  const most = await db
    .select({ name: link.name, slug: link.slug, clicks: count() })
    .from(click)
    .innerJoin(link, eq(link.id, click.linkId))
    .where(byPeople)
    .groupBy(link.id)
    .orderBy(desc(count()), asc(link.slug))
    .limit(mostLinks);
  return { created, clicks: clicked?.clicks ?? 0, scans: clicked?.scans ?? 0, most };
}

/** Active clients that were neither made nor used since then. */
export const unusedClients = (db: NodePgDatabase, since: Date, limit: number) =>
  db
    .select({ clientId: client.clientId, name: client.name, lastUsedAt: client.lastUsedAt })
    .from(client)
    .where(
      and(
        eq(client.isActive, true),
        lt(client.createdAt, since),
        or(isNull(client.lastUsedAt), lt(client.lastUsedAt, since)),
      ),
    )
    .orderBy(asc(client.name))
    .limit(limit);
