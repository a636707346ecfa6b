/** The counts of a chaos run, in words. */
import type { ChaosRun } from './chaos.ts';
import { doneSince } from './effects-done.ts';
import type { Breach } from './verdict.ts';

export function reportOf(run: ChaosRun, breaches: readonly Breach[]): string {
  const { outcomes, jobs, after, before, processes, callbacks } = run;
  const asked = outcomes.filter(({ order }) => order.startsJob);
  const direct = outcomes.filter(({ order }) => !order.startsJob);
  const restarts = processes.reduce((sum, { lives }) => sum + lives.length - 1, 0);
  const refused = processes.reduce(
    (sum, { lives }) => sum + lives.filter(life => !life.wasReady && !life.wasKilled).length,
    0,
  );
  const effects = [...after.sorts].map(
    ([sort, done]) => `${doneSince(before.sorts.get(sort) ?? new Map(), done)} ${sort}`,
  );
  return [
    line(
      'broken',
      [...run.havoc].map(([name, times]) => `${name} ${times}`),
    ),
    line('requests for jobs', [`${asked.length} sent`, ...statuses(asked)]),
    line('requests with effects', [`${direct.length} sent`, ...statuses(direct)]),
    line('sent again', [
      `${run.retries} for want of an answer`,
      `${outcomes.filter(({ order }) => order.repeat !== 'no').length} on purpose`,
    ]),
    line('jobs', [`${jobs.length} rows`, ...tally(jobs.map(({ state }) => state))]),
    line(
      'failed with',
      tally(jobs.filter(({ state }) => state === 'failed').map(({ kind, problem }) => `${kind} ${problem}`)),
    ),
    line('by kind', tally(jobs.map(({ kind }) => kind))),
    line('effects done', effects),
    line('done twice', [String(breaches.find(({ rule }) => rule.includes('twice'))?.evidence.length ?? 0)]),
    line('PDFs opened', [`${run.pdfs - run.badResults.length} of ${run.pdfs}`]),
    line('callbacks', [`${callbacks.promised} promised`, `${callbacks.received} came`]),
    line('processes', [`${processes.length}`, `${restarts} restarts`, `${refused} starts in vain`]),
    line('time', [`${run.seconds.underHavoc} s of havoc`, `${run.seconds.toSettle} s to come to rest`]),
    ...breaches.flatMap(({ rule, evidence }) => [
      `  BROKEN: ${rule} (${evidence.length})`,
      ...evidence.slice(0, 12).map(one => `      ${one}`),
    ]),
  ].join('\n');
}

const line = (name: string, parts: readonly string[]): string =>
  `  ${`${name}:`.padEnd(24)}${parts.join(', ') || '-'}`;

const statuses = (outcomes: ChaosRun['outcomes']): string[] =>
  tally(
    outcomes.map(
      ({ answer, wasThere }) => `${answer?.status ?? 'no answer'}${wasThere ? ' (was there)' : ''}`,
    ),
  );

function tally(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([word, count]) => `${count} ${word}`);
}
