import { z } from 'zod';
import { JobEventType } from '../../../core/jobs/event.ts';
import { anyScope, defineOperation } from '../../http/operation.ts';
import { decodeCursor, encodeCursor, ListQuery, nextLink } from '../../http/paging.ts';
import { eventText } from '../../jobs/event-text.ts';
import { JobParams, seenJob } from '../../jobs/job-access.ts';

const TimelineCursor = z.object({
  id: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
});

const TimelineEntry = z.object({
  id: z.int(),
  at: z.iso.datetime(),
  type: JobEventType,
  text: z.string().describe('In plain words.'),
  data: z.record(z.string(), z.unknown()).describe('What is known of it, such as the job’s state after it.'),
});

export default defineOperation({
  summary:
    'Everything that happened to a job, oldest first: accepted, begun, stages, retries, cancelling, its end, callbacks.',
  id: 'jobs.getTimeline',
  method: 'GET',
  path: '/jobs/{id}/timeline',
  scope: anyScope,
  request: { params: JobParams, query: ListQuery },
  answers: {
    200: {
      description: 'A page of the timeline; of progress only where a stage begins.',
      schema: z.object({ items: z.array(TimelineEntry), nextCursor: z.string().nullable() }),
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
    const page = found.slice(0, query.limit);
    const last = page.at(-1);
    const nextCursor = found.length > query.limit && last ? encodeCursor({ id: String(last.id) }) : null;
    const items = page.map(event => ({
      id: event.id,
      at: event.at.toISOString(),
      type: event.type,
      text: eventText(event),
      data: { ...(typeof event.data === 'object' && event.data) },
    }));
    return {
      status: 200,
      headers: { 'cache-control': 'no-store', ...nextLink(call.request, nextCursor) },
      body: { items, nextCursor },
    };
  },
});
