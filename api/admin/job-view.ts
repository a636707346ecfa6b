/** A job's page for operations: how it stands, what happened to it, what can be done; nothing of its payload. */
import type { JobRecord, JobState } from '../../core/jobs/record.ts';
import { isFinal } from '../../core/jobs/record.ts';
import { eventText } from '../jobs/event-text.ts';
import { explainJob } from '../jobs/job-explanation.ts';
import type { ApiServices } from '../services.ts';
import { queueOnBoard } from './board.ts';
import { exactTime, lengthWords, reportWords, timeView } from './format.ts';
import { actsOf } from './job-actions.ts';

const most = { events: 200, warnings: 50, faults: 20 };

/** How a state is shown: what wants a person, what went well, what is still on. */
const tones: Record<JobState, 'good' | 'bad' | 'ask' | 'on'> = {
  queued: 'on',
  scheduled: 'on',
  running: 'on',
  held: 'ask',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'ask',
};

interface JobView {
  /** It will change by itself. */
  isOn: boolean;
}

export async function jobView(
  job: JobRecord,
  services: ApiServices,
): Promise<JobView & Record<string, unknown>> {
  const [explanation, events] = await Promise.all([
    isFinal(job.state) ? undefined : explainJob(job, services),
    services.events.timeline(job.id, 0, most.events + 1),
  ]);
  const contract = services.contracts.get(job.kind);
  return {
    id: job.id,
    kind: job.kind,
    summary: contract?.summary,
    board:
      contract &&
      job.reusedFrom === null &&
      `${services.config.BASE_PATH}/ops/queues/queue/${encodeURIComponent(queueOnBoard(contract))}/${job.id}`,
    state: job.state,
    tone: tones[job.state],
    isOn: !isFinal(job.state) && job.state !== 'held',
    clientId: job.clientId,
    attempts: `${job.attemptsMade} of ${job.attemptsMax}`,
    progress: job.state === 'running' ? job.progress : null,
    ...times(job),
    why: explanation && { reason: explanation.reason, ...estimate(explanation) },
    problem: job.error && { ...job.error, errors: job.error.errors?.slice(0, most.faults) },
    ...outcome(job),
    warnings: job.warnings.slice(0, most.warnings),
    moreWarnings: Math.max(0, job.warnings.length - most.warnings),
    reusedFrom: job.reusedFrom,
    sandboxes: job.sandboxes.join(', '),
    released: job.released && { by: job.released.by, ...timeView(new Date(job.released.at)) },
    callback: job.callback && {
      host: new URL(job.callback.url).host,
      state: job.callback.state,
      tries: job.callback.tries,
    },
    timeline: events
      .slice(0, most.events)
      .map(event => ({ iso: event.at.toISOString(), clock: exactTime(event.at), text: eventText(event) })),
    hasMoreEvents: events.length > most.events,
    acts: contract ? actsOf(job) : [],
  };
}

function times({ createdAt, startedAt, finishedAt, startBy, resultExpiresAt }: JobRecord): object {
  return {
    created: timeView(createdAt),
    started: startedAt && timeView(startedAt),
    waited: startedAt && lengthWords(startedAt.getTime() - createdAt.getTime()),
    finished: finishedAt && timeView(finishedAt),
    ran: startedAt && finishedAt && lengthWords(finishedAt.getTime() - startedAt.getTime()),
    startBy: startBy && timeView(startBy),
    expires: resultExpiresAt && timeView(resultExpiresAt),
  };
}

function estimate({
  startsInSeconds,
  endsInSeconds,
}: {
  startsInSeconds: number | null;
  endsInSeconds: number | null;
}) {
  return {
    starts: startsInSeconds === null || startsInSeconds === 0 ? null : lengthWords(startsInSeconds * 1_000),
    ends: endsInSeconds === null ? null : lengthWords(endsInSeconds * 1_000),
  };
}

/** A held job's report tells what it would do. */
function outcome({ state, result, resultFile }: JobRecord): object {
  const words = reportWords(result);
  return {
    isHeld: state === 'held',
    report: result === null ? null : words,
    file: resultFile && { contentType: resultFile.contentType, size: sizeWords(resultFile.bytes) },
  };
}

const sizeWords = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
