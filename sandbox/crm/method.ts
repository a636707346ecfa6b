/** REST methods: their types, and the runner for single calls and batch commands (quota and `time` block). */

import { CrmError, insufficientScope, methodNotFound } from './crm-error.ts';
import type { MethodQuota } from './method-quota.ts';
import { type Parameters, parameter } from './parameters.ts';
import { portalTime } from './portal-time.ts';

export interface MethodCall {
  parameters: Parameters;
  /** The user that the webhook belongs to. */
  userId: number;
}

export interface MethodAnswer {
  result: unknown;
  /** Lists only; `next` only if there is a further page. */
  total?: number;
  next?: number | undefined;
}

export type Method = (call: MethodCall) => MethodAnswer;

/** By lower-case name, such as `crm.lead.get`. */
export type Methods = Record<string, Method>;

export const now = (): string => portalTime(Date.now());

export interface TimedAnswer extends MethodAnswer {
  time: Record<string, unknown>;
}

export type RunMethod = (name: string, call: MethodCall) => TimedAnswer;

/** What the account allows: seconds of run time for each method, and the scopes of the webhook. */
interface Limits {
  operatingLimitSeconds: number;
  scopes: readonly string[];
}

export function createMethodRunner(methods: Methods, quota: MethodQuota, limits: Readonly<Limits>): RunMethod {
  return (name, call) => {
    const startedAt = Date.now();
    const method = methods[name];
    if (!method) throw methodNotFound;
    const [scope = ''] = name.split('.');
    if (scope !== name && !limits.scopes.includes(scope)) throw insufficientScope;
    const isCounted = Number(parameter(call.parameters, 'start')) !== -1;
    const spent = quota.spend(`user ${call.userId}`, name, limits.operatingLimitSeconds, isCounted);
    return { ...method(call), time: timeBlock(startedAt, spent) };
  };
}

/** The `time` member of a response: Unix seconds, durations and the quota used. */
export function timeBlock(startedAt: number, spent: object): Record<string, unknown> {
  const finishedAt = Date.now();
  return {
    start: startedAt / 1000,
    finish: finishedAt / 1000,
    duration: (finishedAt - startedAt) / 1000,
    processing: (finishedAt - startedAt) / 1000,
    date_start: portalTime(startedAt),
    date_finish: portalTime(finishedAt),
    ...spent,
  };
}

/** Returns a CRM error; rethrows anything else, which is a bug of the sandbox. */
export function crmErrorOf(error: unknown): CrmError {
  if (error instanceof CrmError) return error;
  throw error;
}
