/** Formats the counts and violations of a chaos run. */
import type { ChaosRun } from './chaos.ts';
import { trendOf } from './growth.ts';
import { countSince } from './observed-effects.ts';
import { describeOutage, type OutageRun } from './outages.ts';
import type { SoakRun } from './soak.ts';
import { hasUnknownOutcome, type Violation } from './violations.ts';

export function reportOf(run: ChaosRun, violations: readonly Violation[]): string {
  const { outcomes, jobs, after, before, processes, callbacks } = run;
  const jobRequests = outcomes.filter(({ request }) => request.startsJob);
  const effectRequests = outcomes.filter(({ request }) => !request.startsJob);
  const restarts = processes.reduce((sum, { runs }) => sum + runs.length - 1, 0);
  const failedStarts = processes.reduce(
    (sum, { runs }) => sum + runs.filter(run => !run.wasReady && !run.wasKilled).length,
    0,
  );
  const effects = [...after.byType].map(
    ([type, counts]) => `${countSince(before.byType.get(type) ?? new Map(), counts)} ${type}`,
  );
  return [
    line(
      'faults',
      [...run.faults].map(([name, times]) => `${name} ${times}`),
    ),
    line('requests for jobs', [`${jobRequests.length} sent`, ...statuses(jobRequests)]),
    line('requests with effects', [`${effectRequests.length} sent`, ...statuses(effectRequests)]),
    line('sent repeatedly', [
      `${run.retries} retries`,
      `${outcomes.filter(({ request }) => request.repeat !== 'no').length} intended`,
    ]),
    line('jobs', [`${jobs.length} rows`, ...tally(jobs.map(({ state }) => state))]),
    line(
      'failed with',
      tally(jobs.filter(({ state }) => state === 'failed').map(({ kind, problem }) => `${kind} ${problem}`)),
    ),
    line('by kind', tally(jobs.map(({ kind }) => kind))),
    line('effects', effects),
    line('repeated effects', [String(violations.find(({ rule }) => rule.includes('twice'))?.evidence.length ?? 0)]),
    line('PDFs complete', [`${run.pdfs - run.invalidResults.length} of ${run.pdfs}`]),
    line('callbacks', [`${callbacks.expected} expected`, `${callbacks.received} received`]),
    line('processes', [`${processes.length}`, `${restarts} restarts`, `${failedStarts} failed starts`]),
    line('time', [`${run.seconds.withFaults} s with faults`, `${run.seconds.toSettle} s until all jobs finished`]),
    ...violations.flatMap(describeViolation),
  ].join('\n');
}

export function soakReportOf({ warm, end, memory, answers }: SoakRun, violations: readonly Violation[]): string {
  const trends = [...memory].map(([name, samples]) => {
    const { mean, perSecond } = trendOf(samples.slice(Math.floor(samples.length / 2)));
    return `${name} ${mean.toFixed(0)} MB ${perSecond < 0 ? '' : '+'}${(perSecond * 60).toFixed(2)} MB a minute`;
  });
  return [
    line(
      'answers',
      [...answers].map(([what, times]) => `${times} times ${what}`),
    ),
    line('memory, second half', trends),
    line('idle transactions', [`${warm.transactionsPerMinute} a minute before, ${end.transactionsPerMinute} after`]),
    ...[...end.resources].map(([name, { timers, listeners, handles }]) =>
      line(name, [
        `${warm.resources.get(name)?.timers} to ${timers} timers`,
        `${warm.resources.get(name)?.listeners} to ${listeners} listeners`,
        `${warm.resources.get(name)?.handles} to ${handles} handles`,
      ]),
    ),
    ...violations.flatMap(describeViolation),
  ].join('\n');
}

const describeViolation = ({ rule, evidence }: Violation): string[] => [
  `  VIOLATED: ${rule} (${evidence.length})`,
  ...evidence.slice(0, 12).map(one => `      ${one}`),
];

export function outageReportOf({ outages, outcomes, deletions, notifications }: OutageRun): string {
  return [
    ...outages.map(outage => `  ${describeOutage(outage)}`),
    line('deletions', [`all employees deleted and restored ${deletions.length} times`]),
    line('notifications', [`${notifications.length} held runs mailed`]),
    line('not repeated', [`${outcomes.filter(hasUnknownOutcome).length} SMS and items with an unknown outcome`]),
  ].join('\n');
}

const line = (name: string, parts: readonly string[]): string => `  ${`${name}:`.padEnd(24)}${parts.join(', ') || '-'}`;

const statuses = (outcomes: ChaosRun['outcomes']): string[] =>
  tally(
    outcomes.map(
      ({ response, wasExisting }) => `${response?.status ?? 'no response'}${wasExisting ? ' (existing job)' : ''}`,
    ),
  );

function tally(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => one.localeCompare(other)).map(([word, count]) => `${count} ${word}`);
}
