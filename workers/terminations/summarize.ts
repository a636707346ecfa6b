/** What the systems' terminations come to together: the report, or the error that says what remains. */

import { unknownPerson, type Person } from '../../core/domain/terminations/person.ts';
import type {
  FullTermination,
  SystemTermination,
  TerminationSystem,
} from '../../core/domain/terminations/termination.ts';
import { ServiceError } from '../../core/runtime/errors.ts';

export type Part =
  | { system: TerminationSystem; termination: SystemTermination }
  | { system: TerminationSystem; error: ServiceError };

/**
 * @throws ServiceError not-found when nobody knows the person; else that of what remains, passing when any of it may
 * pass: what is done already is not done again then
 */
export function sumUp({ crmId, inCrm }: Person, parts: readonly Part[]): FullTermination {
  const done = parts.flatMap(part => ('termination' in part ? [part.termination] : []));
  const remaining = parts.flatMap(part => ('error' in part ? [part] : []));
  const isNowhere =
    done.every(({ outcome }) => outcome === 'absent') &&
    remaining.every(({ error }) => error.code === 'not-found');
  if (inCrm === 'unknown' && isNowhere) throw unknownPerson();
  const [first] = remaining;
  if (first) throw whatRemains(done, remaining, first.error);
  const acted = done.some(({ outcome }) => outcome === 'terminated');
  return {
    outcome: acted ? 'terminated' : 'already-terminated',
    user: { crmId },
    systems: done,
    verifiedAt: new Date(Math.max(...done.map(({ verifiedAt }) => Date.parse(verifiedAt)))).toISOString(),
  };
}

function whatRemains(
  done: readonly SystemTermination[],
  remaining: readonly Extract<Part, { error: ServiceError }>[],
  first: ServiceError,
): ServiceError {
  const errors = remaining.map(({ error }) => error);
  const { code } = errors.find(({ transient }) => transient) ?? first;
  const closed = done.map(({ system }) => system).join(', ') || 'none';
  const why = remaining.map(({ system, error }) => `${system}: ${error.message}`).join(' ');
  return new ServiceError(code, `Closed to the user: ${closed}. Not closed: ${why}`, {
    transient: errors.some(({ transient }) => transient),
    cause: errors.length === 1 ? first : new AggregateError(errors),
  });
}
