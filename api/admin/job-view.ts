/** View of a job's page: state, history and possible actions, without the payload. */
import { createCallbackOutbox } from '../../core/callbacks/outbox.ts';
import {
  type HeldPlan,
  isAtRest,
  isFinal,
  type JobRecord,
  type JobState,
  type Warning,
} from '../../core/jobs/record.ts';
import { termsOf } from '../../core/jobs/repository/inputs.ts';
import type { Problem } from '../../core/runtime/errors.ts';
import { groupBy } from '../../core/values/group-by.ts';
import { eventText } from '../jobs/event-text.ts';
import { explainJob } from '../jobs/job-explanation.ts';
import type { ApiServices } from '../services.ts';
import { affectedBy, recordAt } from './affected.ts';
import { durationText, exactTime, inDubai, reportView, timeView } from './format.ts';
import { actionsOn } from './job-actions.ts';
import { changesView } from './planned-changes.ts';
import { boardUrl } from './queues-view.ts';
import { waitsText, waterfall } from './waterfall.ts';

const max = { events: 200, warnings: 50, faults: 20, tries: 50, named: 5 };

/** CSS classes: succeeded, failed, needs attention, in progress. */
export const tones: Record<JobState, 'good' | 'bad' | 'ask' | 'on'> = {
  queued: 'on',
  scheduled: 'on',
  running: 'on',
  held: 'ask',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'ask',
};

export async function jobView(job: JobRecord, services: ApiServices) {
  const [explanation, events, plan, tries, terms] = await Promise.all([
    isFinal(job.state) ? undefined : explainJob(job, services),
    services.events.timeline(job.id, 0, max.events + 1),
    services.records.plan(job.id),
    job.callback ? createCallbackOutbox(services.database).latestTries(job.id, max.tries) : [],
    termsOf(services.database, [job.id]).then(found => found.get(job.id) ?? []),
  ]);
  const contract = services.contracts.get(job.kind);
  const isCut = events.length > max.events;
  const end = isCut ? events.at(-1)?.at : job.finishedAt;
  const actions = contract ? actionsOn(job) : [];
  return {
    title: `${job.kind} ${job.state}`,
    id: job.id,
    kind: job.kind,
    summary: contract?.summary,
    board: contract && `${boardUrl(contract, services.config.BASE_PATH)}/${job.id}`,
    state: job.state,
    tone: tones[job.state],
    /** The page changes without an operator. */
    isOn: !isAtRest(job.state) || job.callback?.state === 'pending',
    clientId: job.clientId,
    attempts: `${job.attemptsMade} of ${job.attemptsMax}`,
    waits: waitsText(events),
    waterfall: waterfall(events.slice(0, max.events), end ?? new Date()),
    progress: job.state === 'running' ? job.progress : null,
    ...times(job),
    why: explanation && {
      reason: inDubai(explanation.reason),
      starts: secondsText(explanation.startsInSeconds || null),
      ends: secondsText(explanation.endsInSeconds),
    },
    affected: affectedBy(job, terms),
    problem: job.error && problemView(job.error, terms),
    ...outcome(job, plan?.changes ?? []),
    ...warningsView(job.warnings, terms),
    mail: job.mail && { ...job.mail, tone: tones[job.mail.state] },
    sandboxes: job.sandboxes.join(', '),
    released: job.released && { by: job.released.by, ...timeView(new Date(job.released.at)) },
    callback: job.callback && {
      host: new URL(job.callback.url).host,
      state: callbackState(job),
      next: job.callback.nextTryAt && timeView(new Date(job.callback.nextTryAt)),
      mayBeSent: actions.some(({ verb }) => verb === 'callback'),
      tries: tries.map(({ at, status, error, try: made }) => ({ ...timeView(at), made, status, error })),
    },
    timeline: events
      .slice(0, max.events)
      .map(event => ({ iso: event.at.toISOString(), clock: exactTime(event.at), text: inDubai(eventText(event)) })),
    hasMoreEvents: isCut,
    actions: actions.filter(({ verb }) => verb !== 'callback'),
  };
}

function problemView({ upstream, errors = [], ...error }: Problem, terms: readonly string[]): object {
  return {
    ...error,
    upstream: upstream && { ...upstream, ...timeView(new Date(upstream.at)) },
    errors: errors.slice(0, max.faults).map(fault => ({ ...fault, record: recordAt(fault.pointer, terms) })),
    moreErrors: Math.max(0, errors.length - max.faults),
  };
}

/** Warnings that differ only in the record are one line with their number. */
function warningsView(warnings: readonly Warning[], terms: readonly string[]) {
  const partOf = (pointer: string): string => pointer.replace(/^\/(list|leads)\/\d+/, '');
  const groups = [...groupBy(warnings, ({ pointer, detail }) => `${partOf(pointer)} ${detail}`).values()];
  return {
    warnings: groups.slice(0, max.warnings).map(equal => {
      const [{ pointer = '', detail = '' } = {}] = equal;
      const records = [...new Set(equal.flatMap(warning => recordAt(warning.pointer, terms) ?? []))];
      return {
        pointer: equal.length === 1 ? pointer : partOf(pointer),
        detail,
        count: equal.length > 1 && equal.length,
        records: records.slice(0, max.named).join(', '),
        moreRecords: Math.max(0, records.length - max.named),
      };
    }),
    moreWarnings: Math.max(0, groups.length - max.warnings),
  };
}

function times({ createdAt, startedAt, finishedAt, startBy, resultExpiresAt }: JobRecord): object {
  return {
    created: timeView(createdAt),
    started: startedAt && timeView(startedAt),
    waited: startedAt && durationText(startedAt.getTime() - createdAt.getTime()),
    finished: finishedAt && timeView(finishedAt),
    ran: startedAt && finishedAt && durationText(finishedAt.getTime() - startedAt.getTime()),
    startBy: startBy && timeView(startBy),
    expires: resultExpiresAt && timeView(resultExpiresAt),
  };
}

const secondsText = (seconds: number | null): string | null =>
  seconds === null ? null : durationText(seconds * 1_000);

/** The report of a held job describes its plan, whose changes are shown by name instead of as rows. */
function outcome({ state, result, resultFile, resultExpiresAt }: JobRecord, changes: HeldPlan['changes']) {
  return {
    isHeld: state === 'held',
    report: result === null ? null : reportView(result, changes),
    changes: changesView(changes),
    hasResult: state === 'succeeded' && (resultExpiresAt === null || resultExpiresAt > new Date()),
    file: resultFile && { contentType: resultFile.contentType, size: sizeText(resultFile.bytes) },
    parts: (resultFile?.parts ?? []).map(({ fileName, bytes }) => ({ fileName, size: sizeText(bytes) })),
  };
}

function callbackState({ state, callback }: JobRecord): string {
  if (callback?.state !== 'pending') return callback?.state === 'failed' ? 'given up' : 'delivered';
  if (!isAtRest(state)) return 'sent when the job has ended';
  return callback.tries === 0 ? 'due' : 'not delivered yet';
}

const sizeText = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
