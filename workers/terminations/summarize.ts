/** Combines the outcomes of all systems into one result, or into one error for the remaining systems. */
import { type Person, unknownPerson } from '../../core/domain/terminations/person.ts';
import type {
  FullTermination,
  SystemTermination,
  TerminationSystem,
} from '../../core/domain/terminations/termination.ts';
import { outageOf, UpstreamError } from '../../core/integrations/kit/upstream-error.ts';
import { ServiceError } from '../../core/runtime/errors.ts';

export type SystemOutcome =
  | { system: TerminationSystem; termination: SystemTermination }
  | { system: TerminationSystem; error: ServiceError };

/**
 * @throws ServiceError not-found if no system has the person; otherwise an error that names the remaining systems,
 * transient if any of their errors is: the retry skips the systems already done
 */
export function summarize(
  { crmId, inCrm }: Pick<Person, 'crmId' | 'inCrm'>,
  outcomes: readonly SystemOutcome[],
): FullTermination {
  const done = outcomes.flatMap(one => ('termination' in one ? [one.termination] : []));
  const remaining = outcomes.flatMap(one => ('error' in one ? [one] : []));
  const isNowhere =
    done.every(({ outcome }) => outcome === 'absent') && remaining.every(({ error }) => error.code === 'not-found');
  if (inCrm === 'unknown' && isNowhere) throw unknownPerson();
  const [first] = remaining;
  if (first) throw remainingError(done, remaining, first.error);
  const changes = ['terminated', 'to-be-terminated'] as const;
  const outcome = changes.find(one => done.some(each => each.outcome === one)) ?? 'already-terminated';
  return {
    outcome,
    user: { crmId },
    systems: done,
    verifiedAt: new Date(Math.max(...done.map(({ verifiedAt }) => Date.parse(verifiedAt)))).toISOString(),
  };
}

function remainingError(
  done: readonly SystemTermination[],
  remaining: readonly Extract<SystemOutcome, { error: ServiceError }>[],
  first: ServiceError,
): ServiceError {
  const errors = remaining.map(({ error }) => error);
  const transient = errors.filter(error => error.transient);
  const { code } = transient[0] ?? first;
  const closed = done.map(({ system }) => system).join(', ') || 'none';
  const reasons = remaining.map(({ system, error }) => `${system}: ${error.message}`).join(' ');
  const detail = `Closed to the user: ${closed}. Not closed: ${reasons}`;
  const cause = errors.length === 1 ? first : new AggregateError(errors);
  const outages = transient.flatMap(error => outageOf(error) ?? []);
  const [outage] = outages;
  // The job waits for these systems without using an attempt.
  if (outage && outages.length === transient.length) return new UpstreamError(code, detail, { ...outage, cause });
  return new ServiceError(code, detail, { transient: transient.length > 0, cause });
}
