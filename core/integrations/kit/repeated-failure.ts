/** Detects a call that fails each time while its system answers other calls: one record is at fault, not the system. */
import { hash } from 'node:crypto';
import type { Call } from './call.ts';
import { type SystemName, UpstreamError } from './upstream-error.ts';

const failuresToDetect = 3;
/** The oldest are forgotten. */
const maxKeys = 1_000;

export type RepeatedFailures = ReturnType<typeof watchRepeatedFailures>;

export function watchRepeatedFailures() {
  const failing = new Map<string, { failures: number; successesBefore: number }>();
  let successes = 0;
  return {
    succeeded(key: string): void {
      successes += 1;
      failing.delete(key);
    },
    /** @returns whether the call has now failed three times, and another one succeeded after its first failure */
    failed(key: string): boolean {
      const known = failing.get(key) ?? { failures: 0, successesBefore: successes };
      known.failures += 1;
      failing.delete(key);
      failing.set(key, known);
      for (const oldest of failing.keys()) {
        if (failing.size <= maxKeys) break;
        failing.delete(oldest);
      }
      return known.failures >= failuresToDetect && successes > known.successesBefore;
    },
  };
}

/** Identifies equal calls, without their values. */
const callKey = ({ method, path, query, json, body }: Call): string =>
  hash('sha256', JSON.stringify([method, path, query, json, typeof body === 'string' ? body : null]));

/** Runs one attempt of a call. @throws UpstreamError, which is no outage any more when only this call fails */
export async function watched<T>(
  failures: RepeatedFailures,
  { system, call }: { system: SystemName; call: Call },
  send: () => Promise<T>,
): Promise<T> {
  const key = callKey(call);
  try {
    const answer = await send();
    failures.succeeded(key);
    return answer;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    // A rejection is an answer, too.
    if (!error.isDown) failures.succeeded(key);
    throw error.isDown && failures.failed(key) ? onlyThisCall(system, call, error) : error;
  }
}

/** Places in lists, which name the record; other parameters may be personal data. */
const placeNames = ['page', 'skip', 'limit_start', 'filter[type]'];

function onlyThisCall({ title }: SystemName, { method, path, query = {} }: Call, error: UpstreamError): UpstreamError {
  const places = placeNames.flatMap(name => (query[name] === undefined ? [] : `${name} ${query[name]}`));
  const what = [`${method} ${path}`, ...places].join(', ');
  const { failure } = error;
  return new UpstreamError(
    error.code,
    `${title} fails each time for ${what}, while it answers other calls; ask its support about this record. ${error.message}`,
    { ...failure, kind: 'repeated', after: failure.kind, cause: error },
  );
}
