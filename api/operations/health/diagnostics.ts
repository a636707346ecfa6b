/** Verbose readiness: runs the doctor's checks in this API process and adds the latest findings of the workers. */
import { type Check, type CheckResult, coreChecks, runChecks } from '../../../core/doctor/check.ts';
import { contextOf } from '../../../core/doctor/context.ts';
import { createWorkerHealth } from '../../../core/jobs/repository/heartbeats.ts';
import { failure, type Level } from '../../../core/runtime/finding.ts';
import type { ApiServices } from '../../services.ts';
import { checkReadiness, type Readiness, type ReadinessCheck, type Status } from './readiness.ts';

/** Results are cached and shared for this long, which bounds the load of repeated requests. */
const cacheMs = 10_000;
/** Time limit per check; `npm run doctor` allows more. */
const checkTimeoutMs = 8_000;

const statusOf: Record<Level, Status> = { ok: 'pass', warning: 'warn', failure: 'fail' };

/** The findings do not change the status, which says whether the service works. */
export async function verboseReadiness(services: ApiServices): Promise<Readiness> {
  const [readiness, results] = await Promise.all([checkReadiness(services), diagnose(services)]);
  const time = new Date().toISOString();
  const checks = results.map(({ name, findings }): [string, ReadinessCheck[]] => [
    `doctor ${name}`,
    findings.map(({ level, found, fix }) => ({
      status: statusOf[level],
      componentType: 'check',
      observedValue: found,
      time,
      ...(fix !== undefined && { output: fix }),
    })),
  ]);
  return { ...readiness, checks: { ...readiness.checks, ...Object.fromEntries(checks) } };
}
const latest = new WeakMap<ApiServices['systems'], { results: Promise<CheckResult[]>; begunAt: number }>();

function diagnose(services: ApiServices): Promise<CheckResult[]> {
  const cached = latest.get(services.systems);
  if (cached && Date.now() - cached.begunAt < cacheMs) return cached.results;
  const diagnosis = { results: runAll(services), begunAt: Date.now() };
  latest.set(services.systems, diagnosis);
  diagnosis.results.catch(() => latest.delete(services.systems));
  return diagnosis.results;
}

let coreChecksOnce: Promise<Check[]> | undefined;

async function runAll(services: ApiServices): Promise<CheckResult[]> {
  coreChecksOnce ??= coreChecks();
  const checks = (await coreChecksOnce).map(check => ({
    ...check,
    timeoutMs: Math.min(check.timeoutMs ?? checkTimeoutMs, checkTimeoutMs),
  }));
  return [...(await Promise.all(runChecks(checks, contextOf(services.systems)))), ...(await workerResults(services))];
}

async function workerResults({ database }: ApiServices): Promise<CheckResult[]> {
  try {
    const findings = await createWorkerHealth(database).read();
    return findings.map(({ name, workerId, finding }) => ({
      name: `${name} of ${workerId}`,
      findings: [finding],
    }));
  } catch {
    return [{ name: 'workers', findings: [failure('cannot read their findings', 'see the check of the database')] }];
  }
}
