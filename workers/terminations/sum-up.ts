/** What the systems' terminations come to together: the report, or the error that says what remains. */
import { ServiceError } from '../../core/errors.ts';
import type { Person } from '../../core/terminations/person.ts';
import type {
  FullTermination,
  SystemTermination,
  TerminationSystem,
} from '../../core/terminations/termination.ts';

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
  if (remaining.length > 0) throw whatRemains(done, remaining);
  if (inCrm === 'unknown' && done.every(({ outcome }) => outcome === 'absent')) throw nobodyKnows();
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
): ServiceError {
  const errors = remaining.map(({ error }) => error);
  const { code } = errors.find(({ passing }) => passing) ?? errors[0] ?? nobodyKnows();
  const closed = done.map(({ system }) => system).join(', ') || 'none';
  const why = remaining.map(({ system, error }) => `${system}: ${error.message}`).join(' ');
  return new ServiceError(code, `Closed to the user: ${closed}. Not closed: ${why}`, {
    passing: errors.some(({ passing }) => passing),
    cause: errors.length === 1 ? errors[0] : new AggregateError(errors),
  });
}

/** Most likely a slip of the pen. */
export const nobodyKnows = (): ServiceError =>
  new ServiceError('not-found', 'Neither the CRM nor any system that was to be closed knows this user.');
