/** Gathers the digest from the database. */

import { listOpenAlerts } from '../../core/alerts/open-alerts.ts';
import { outsideCalls } from '../../core/alerts/outside-calls.ts';
import { lastBalance } from '../../core/domain/telephony/sms-balances.ts';
import { heldJobs } from '../../core/jobs/repository/health.ts';
import type { Database } from '../../core/postgres/client.ts';
import { createProcessMetrics } from '../../core/telemetry/snapshots.ts';
import { dubaiDayOf } from '../../core/values/dubai-day.ts';
import type { Digest } from './contract.ts';
import {
  commonErrors,
  endedJobs,
  linkFigures,
  type Period,
  smsFigures,
  syncFigures,
  unknownEffects,
  unpunctualFires,
  unusedClients,
} from './day-figures.ts';

const dayMs = 24 * 3_600_000;
const unusedDays = 90;
/** Rows of each list: it is a digest. */
const most = 10;

/** One query after the other: nobody waits for it, and the pool has other work. */
export async function gatherDigest(database: Database, now: Date): Promise<Digest> {
  const period: Period = { from: new Date(now.getTime() - dayMs), to: now };
  const before: Period = { from: new Date(now.getTime() - 2 * dayMs), to: period.from };
  return {
    day: dubaiDayOf(now),
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    jobs: await jobs(database, period, before),
    errors: await commonErrors(database, period, most),
    syncs: await syncFigures(database, period),
    held: (await heldJobs(database, most)).map(({ id, kind, heldAt }) => ({
      jobId: id,
      kind,
      heldAt: heldAt.toISOString(),
      hours: Math.max(0, Math.round((now.getTime() - heldAt.getTime()) / 360_000) / 10),
    })),
    fires: await unpunctualFires(database, period),
    systems: outsideCalls(await createProcessMetrics(database).read()).map(({ system, calls, faults }) => ({
      system,
      calls,
      faults,
    })),
    unknownEffects: await unknownEffects(database, period),
    sms: { ...(await smsFigures(database, period)), balance: await balance(database) },
    links: await linkFigures(database, period, 5),
    alerts: await listOpenAlerts(database, most),
    unusedClients: (await unusedClients(database, new Date(now.getTime() - unusedDays * dayMs), most)).map(
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
    .sort(
      (one, other) => other.failed - one.failed || (other.typicalSeconds ?? 0) - (one.typicalSeconds ?? 0),
    );
}

async function balance(database: Database): Promise<Digest['sms']['balance']> {
  const last = await lastBalance(database);
  return last ? { ...last, askedAt: last.askedAt.toISOString() } : null;
}
