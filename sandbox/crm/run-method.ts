/** Runs one method as its own call or as a command of a batch: the same limits, the same answer with its times. */
import { CrmFault, methodNotFound } from './crm-fault.ts';
import type { MethodAnswer, MethodCall, Methods } from './method.ts';
import type { OperatingTime } from './operating-time.ts';
import { parameter } from './parameters.ts';

export interface TimedAnswer extends MethodAnswer {
  time: Record<string, unknown>;
}

export type RunMethod = (name: string, call: MethodCall) => TimedAnswer;

export function methodRunner(
  methods: Methods,
  operating: OperatingTime,
  limitSeconds: () => number,
): RunMethod {
  return (name, call) => {
    const startedAt = Date.now();
    const method = methods[name];
    if (!method) throw methodNotFound;
    const isCounted = Number(parameter(call.parameters, 'start')) !== -1;
    const spent = operating.spend(`user ${call.userId}`, name, limitSeconds(), isCounted);
    return { ...method(call), time: timeBlock(startedAt, spent) };
  };
}

/** The envelope's `time`: seconds since 1970, and how long the call took. */
export function timeBlock(startedAt: number, spent: object): Record<string, unknown> {
  const finishedAt = Date.now();
  const stamp = (at: number): string => `${new Date(at + 3 * 3_600_000).toISOString().slice(0, 19)}+03:00`;
  return {
    start: startedAt / 1000,
    finish: finishedAt / 1000,
    duration: (finishedAt - startedAt) / 1000,
    processing: (finishedAt - startedAt) / 1000,
    date_start: stamp(startedAt),
    date_finish: stamp(finishedAt),
    ...spent,
  };
}

/** What of an error may go out; anything but the CRM's own refusals is a fault of this sandbox. */
export function refusalOf(error: unknown): CrmFault {
  if (error instanceof CrmFault) return error;
  throw error;
}
