/** Collects the figures of the digest from the database. */

import { and, asc, count, desc, eq, gte, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { heldJobs } from '../../core/alerts/job-health.ts';
import { listOpenAlerts } from '../../core/alerts/open-alerts.ts';
import { outsideCalls } from '../../core/alerts/outside-calls.ts';
import { clickTable as click, linkTable as link } from '../../core/domain/links/schema.ts';
import { smsMessageTable as sms } from '../../core/domain/telephony/schema.ts';
import { lastBalance } from '../../core/domain/telephony/sms-repository.ts';
import { effectTable as effect } from '../../core/effects/schema.ts';
import { jobTable as job } from '../../core/jobs/schema.ts';
import { oauthClientTable as client } from '../../core/oauth/schema.ts';
import type { Database } from '../../core/postgres/client.ts';
import { scheduleFireTable as run } from '../../core/schedules/schema.ts';
import { createProcessMetrics } from '../../core/telemetry/process-metrics.ts';
import { dubaiDayOf } from '../../core/values/dubai-time.ts';
import type { Digest } from './contract.ts';

const dayMs = 24 * 3_600_000;
const unusedDays = 90;
const maxRows = 10;

/** Runs the queries one after the other, to leave the connections of the pool to other work. */
export async function collectDigest(database: Database, now: Date): Promise<Digest> {
  const period: Period = { from: new Date(now.getTime() - dayMs), to: now };
  const before: Period = { from: new Date(now.getTime() - 2 * dayMs), to: period.from };
  return {
    day: dubaiDayOf(now),
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    jobs: await jobs(database, period, before),
    errors: await commonErrors(database, period, maxRows),
    syncs: await syncFigures(database, period),
    held: (await heldJobs(database, maxRows)).map(({ id, kind, heldAt }) => ({
      jobId: id,
      kind,
      heldAt: heldAt.toISOString(),
      hours: Math.max(0, Math.round((now.getTime() - heldAt.getTime()) / 360_000) / 10),
    })),
    fires: await irregularRuns(database, period),
    systems: outsideCalls(await createProcessMetrics(database).read()).map(({ system, calls, faults }) => ({
      system,
      calls,
      faults,
    })),
    unknownEffects: await unknownEffects(database, period),
    sms: { ...(await smsFigures(database, period)), balance: await balance(database) },
    links: await linkFigures(database, period, 5),
    alerts: await listOpenAlerts(database, maxRows),
    unusedClients: (await unusedClients(database, new Date(now.getTime() - unusedDays * dayMs), maxRows)).map(
      unused => ({ ...unused, lastUsedAt: unused.lastUsedAt?.toISOString() ?? null }),
    ),
  };
}

async function jobs(database: Database, period: Period, before: Period): Promise<Digest['jobs']> {
  const earlier = new Map((await endedJobs(database, before)).map(one => [one.kind, one]));
  const today = new Map((await endedJobs(database, period)).map(one => [one.kind, one]));
  const none = { succeeded: 0, failed: 0, cancelled: 0, typicalSeconds: null, slowSeconds: null };
  return [...new Set([...today.keys(), ...earlier.keys()])]
    .map(kind => {
      const { succeeded, failed, cancelled } = earlier.get(kind) ?? none;
      return { ...(today.get(kind) ?? { kind, ...none }), before: { succeeded, failed, cancelled } };
    })
    .sort((one, other) => other.failed - one.failed || (other.typicalSeconds ?? 0) - (one.typicalSeconds ?? 0));
}

async function balance(database: Database): Promise<Digest['sms']['balance']> {
  const last = await lastBalance(database);
  return last ? { ...last, askedAt: last.askedAt.toISOString() } : null;
}

interface Period {
  from: Date;
  /** Exclusive. */
  to: Date;
}

const within = (column: PgColumn, { from, to }: Period): SQL | undefined => and(gte(column, from), lt(column, to));
const countWhere = (condition: SQL) => sql<number>`(count(*) filter (where ${condition}))::int`;

const endedJobs = (db: NodePgDatabase, period: Period) => {
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

/** The most frequent first. */
const commonErrors = (db: NodePgDatabase, period: Period, limit: number) => {
  const title = sql<string>`coalesce(${job.error} ->> 'title', 'no error')`;
  return db
    .select({ kind: job.kind, title, count: count(), lastJobId: sql<string>`max(${job.id})` })
    .from(job)
    .where(and(eq(job.state, 'failed'), within(job.finishedAt, period)))
    .groupBy(job.kind, title)
    .orderBy(desc(count()), asc(job.kind), asc(title))
    .limit(limit);
};

/** Succeeded jobs whose result is the report of a synchronisation, without dry runs. */
const syncFigures = (db: NodePgDatabase, period: Period) => {
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

/** Due times whose run did not start on time. */
const irregularRuns = (db: NodePgDatabase, period: Period) =>
  db
    .select({ schedule: run.schedule, outcome: run.outcome, count: count() })
    .from(run)
    .where(and(ne(run.outcome, 'fired'), within(run.at, period)))
    .groupBy(run.schedule, run.outcome)
    .orderBy(asc(run.schedule), asc(run.outcome));

const unknownEffects = (db: NodePgDatabase, period: Period) =>
  db
    .select({ kind: effect.kind, count: count() })
    .from(effect)
    .where(and(eq(effect.state, 'unknown'), within(effect.createdAt, period)))
    .groupBy(effect.kind)
    .orderBy(asc(effect.kind));

async function smsFigures(db: NodePgDatabase, period: Period) {
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

/** Counts only clicks of people. */
async function linkFigures(db: NodePgDatabase, period: Period, maxLinks: number) {
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
    .limit(maxLinks);
  return { created, clicks: clicked?.clicks ?? 0, scans: clicked?.scans ?? 0, most };
}

/** Active clients that were neither created nor used since then. */
const unusedClients = (db: NodePgDatabase, since: Date, limit: number) =>
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
