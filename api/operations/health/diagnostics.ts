/** What the doctor finds from inside an API process, and what the workers last told of theirs. */

import { type Check, type CheckResult, coreChecks, runChecks } from '../../../core/doctor/check.ts';
import { contextOf } from '../../../core/doctor/context.ts';
import { createWorkerHealth } from '../../../core/jobs/repository/worker-checks.ts';
import { failure } from '../../../core/runtime/finding.ts';
import type { ApiServices } from '../../services.ts';

/** Whoever asks again within this time is told the same, so that asking is no lever for load. */
const freshMs = 10_000;
/** An HTTP request does not wait as long as a command may. */
const patienceMs = 8_000;

interface Examination {
  checked: Promise<CheckResult[]>;
  begunAt: number;
}

const last = new WeakMap<ApiServices['systems'], Examination>();

/** Of all parts; repeated at most every ten seconds, and shared by those who ask meanwhile. */
export async function examine(services: ApiServices): Promise<CheckResult[]> {
  const known = last.get(services.systems);
  if (known && Date.now() - known.begunAt < freshMs) return known.checked;
  const begun = { checked: look(services), begunAt: Date.now() };
  last.set(services.systems, begun);
  begun.checked.catch(() => last.delete(services.systems));
  return begun.checked;
}

let found: Promise<Check[]> | undefined;

async function look(services: ApiServices): Promise<CheckResult[]> {
  found ??= coreChecks();
  const checks = (await found).map(check => ({
    ...check,
    timeoutMs: Math.min(check.timeoutMs ?? patienceMs, patienceMs),
  }));
  return [
    ...(await Promise.all(runChecks(checks, contextOf(services.systems)))),
    ...(await ofWorkers(services)),
  ];
}

async function ofWorkers({ database }: ApiServices): Promise<CheckResult[]> {
  try {
    const findings = await createWorkerHealth(database).read();
    return findings.map(({ name, workerId, finding }) => ({
      name: `${name} of ${workerId}`,
      findings: [finding],
    }));
  } catch {
    return [
      {
        name: 'workers',
        findings: [failure('what they found cannot be read', 'see what is said of the database')],
      },
    ];
  }
}
