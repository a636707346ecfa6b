/** The banner of the overview page: the worst fact first. */
import { groupBy } from '../../core/values/group-by.ts';
import type { Readiness } from '../operations/health/readiness.ts';
import { pluralize } from './format.ts';
import type { Problem } from './problems.ts';

const maxFindings = 30;

const statusTexts = { pass: 'Ready', warn: 'Ready, with warnings', fail: 'Not ready' } as const;

/** Why an operator must look, as a sentence without a full stop. */
interface Fact {
  text: string;
  /** Page below `/ops`, or a part of the overview. */
  path: string;
}

const maxFacts = 8;
/** Alerts of problems by their place among the facts; others stand last. */
const outages: readonly string[] = ['PortalCircuitOpen', 'PortalSystemFailing', 'PortalStorageFull'];
const failures: readonly string[] = ['PortalScheduleFailed', 'PortalScheduleMissed', 'PortalJobsFailing'];

/** @param held number of held runs @param failed number of jobs that failed within the last hour */
export function worstFacts(problems: readonly Problem[], { held, failed }: { held: number; failed: number }): Fact[] {
  const factsOf = (isWanted: (alert: string) => boolean): Fact[] =>
    problems
      .filter(({ alert }) => isWanted(alert))
      .map(({ what }) => ({ text: what.replace(/\.$/, ''), path: '#problems' }));
  return [
    ...factsOf(alert => outages.includes(alert)),
    ...(held > 0
      ? [{ text: `${pluralize(held, 'held run')} ${held === 1 ? 'waits' : 'wait'} for a decision`, path: '#held' }]
      : []),
    ...factsOf(alert => failures.includes(alert)),
    ...(failed > 0 ? [{ text: `${pluralize(failed, 'job')} failed within the last hour`, path: '/failures' }] : []),
    ...factsOf(alert => !outages.includes(alert) && !failures.includes(alert)),
  ];
}

export function statusView({ status, checks }: Readiness, facts: readonly Fact[]) {
  const findings = Object.entries(checks).flatMap(([name, found]) =>
    found.filter(check => check.status !== 'pass').map(check => ({ ...check, part: name.split(':')[0] })),
  );
  // Without a worker all job kinds have the same finding.
  const wrong = [...groupBy(findings, ({ output = '' }) => output)].map(([output, equal]) => ({
    what: equal.map(({ part }) => part).join(', '),
    isFail: equal.some(check => check.status === 'fail'),
    output,
  }));
  const [worst, ...others] = status === 'fail' ? [undefined, ...facts] : facts;
  return {
    kind: worst && status === 'pass' ? 'warn' : status,
    words: worst?.text ?? statusTexts[status],
    path: worst?.path,
    facts: others.slice(0, maxFacts),
    moreFacts: Math.max(0, others.length - maxFacts),
    wrong: wrong.slice(0, maxFindings),
    more: Math.max(0, wrong.length - maxFindings),
  };
}
