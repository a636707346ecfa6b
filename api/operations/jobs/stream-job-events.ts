import { isAtRest, type JobRecord } from '../../../core/jobs/record.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { anyScope, type Call, defineOperation } from '../../http/operation.ts';
import { JobParams, seenJob, visibleJob } from '../../jobs/job-access.ts';
import { bearerToken } from '../../plugins/bearer.ts';
import { eventStream } from './event-stream.ts';

export default defineOperation({
  summary:
    'Stream every change of a job’s state and progress as server-sent events, from its acceptance until it has ended or is held. The data of an event is the job at that time. `Last-Event-ID` resumes.',
  id: 'jobs.streamEvents',
  route: 'GET /jobs/{id}/events',
  scope: anyScope,
  request: { params: JobParams },
  answers: {
    200: {
      description: 'The stream; closes when the job has ended or is held.',
      contentType: 'text/event-stream',
      headers: ['X-Accel-Buffering'],
    },
    204: {
      description: 'The job has ended or is held, and there are no events after `Last-Event-ID`: do not reconnect.',
    },
  },
  async handle({ params }, call) {
    const { client, request, services, signal } = call;
    const job = await seenJob(params.id, call);
    const after = lastEventId(request.headers['last-event-id']?.toString());
    const isOver = isAtRest(job.state) && (await services.events.changesAfter(job.id, after, 1)).length === 0;
    if (isOver) return { status: 204 };

    const slot = services.sseLimiter.take(client.clientId, signal);
    const stream = eventStream(job.id, services, {
      after,
      visibleJob: () => jobVisibleNow(job.id, call),
      signal: slot.signal,
    });
    stream.once('close', () => slot.release());
    return {
      status: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        // Disables buffering in nginx.
        'x-accel-buffering': 'no',
      },
      body: stream,
    };
  },
});

/** @throws ServiceError bad-request for an invalid id */
function lastEventId(header: string | undefined): number {
  if (header === undefined || header === '') return 0;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw new ServiceError('bad-request', 'Last-Event-ID must be the id of an event of this stream.');
}

/** While the stream is open the token may be revoked, the client lose a scope, or the job be deleted. */
async function jobVisibleNow(jobId: string, call: Call): Promise<JobRecord | undefined> {
  const token = bearerToken(call.request.headers.authorization);
  const client = token === undefined ? undefined : await call.services.oauth.findHolder(token);
  return client && visibleJob(jobId, { ...call, client });
}
