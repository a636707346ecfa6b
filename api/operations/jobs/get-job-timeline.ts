import { z } from 'zod';
import { changeTypes, type JobEvent, JobEventType, JobSnapshot } from '../../../core/jobs/event.ts';
import { type ApiAddress, jobProblem } from '../../../core/jobs/resource.ts';
import { anyScope, defineOperation, ok } from '../../http/operation.ts';
import { cutPage, decodeCursor, ListQuery, nextLink, pageSchema } from '../../http/paging.ts';
import { eventText } from '../../jobs/event-text.ts';
import { JobParams, seenJob } from '../../jobs/job-access.ts';

const TimelineCursor = z.object({
  id: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
});

const TimelineEntry = z.object({
  id: z.int().describe('Increases with each event of a job.'),
  at: z.iso.datetime().describe('When.'),
  type: JobEventType.describe('Type of the event.'),
  text: z.string().describe('The event as a sentence.'),
  data: z.record(z.string(), z.unknown()).describe('Details, such as the job’s state after the event.'),
});

export default defineOperation({
  summary: 'List all events of a job, oldest first: start, stages, retries, cancellation, end, callbacks.',
  id: 'jobs.getTimeline',
  route: 'GET /jobs/{id}/timeline',
  scope: anyScope,
  request: { params: JobParams, query: ListQuery },
  answers: {
    200: {
      description: 'A page of the timeline; progress events only at the start of a stage.',
      schema: pageSchema(TimelineEntry),
      example: {
        items: [
          {
            id: 7,
            at: '2026-01-31T08:00:00.000Z',
            type: 'accepted',
            text: 'Accepted.',
            data: { state: 'queued' },
          },
        ],
        nextCursor: null,
      },
    },
  },
  async handle({ params, query }, call) {
    const job = await seenJob(params.id, call);
    const after = query.cursor === undefined ? 0 : decodeCursor(query.cursor, TimelineCursor).id;
    const found = await call.services.events.timeline(job.id, after, query.limit + 1);
    const page = cutPage(found, query.limit, last => ({ id: String(last.id) }));
    const items = page.items.map(event => ({
      id: event.id,
      at: event.at.toISOString(),
      type: event.type,
      text: eventText(event),
      data: dataOf(event, job.id, call.services.address),
    }));
    const { nextCursor } = page;
    return ok({ items, nextCursor }, nextLink(call.request, nextCursor));
  },
});

/** The data of an event; for a change, the job's row as PostgreSQL wrote it. */
function dataOf({ type, data }: JobEvent, jobId: string, address: ApiAddress): object {
  if (typeof data !== 'object' || data === null) return {};
  if (!changeTypes.some(each => each === type)) return data;
  const { startedAt, finishedAt, error } = JobSnapshot.parse(data);
  const shown = { startedAt, finishedAt, error: error && jobProblem(jobId, error, address) };
  return { ...data, ...Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null)) };
}
