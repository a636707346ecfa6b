/** API v2: scheduled state changes of users. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Collection } from '../kit/collection.ts';
import { DirectoryError, filterRows, type Pager, pageOf } from './list-query.ts';
import type { SystemUser } from './seed-users.ts';
import { withState } from './users.ts';

export interface StateJob {
  scheduledJobId: string;
  scheduledDate: string;
  state: 'ACTIVATED' | 'SUSPENDED';
  systemUserId: string;
}

type ListRequest = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>;

const NewJobs = z
  .object({
    user_ids: z.array(z.string().regex(/^[0-9a-f]{24}$/)).min(1),
    state: z.enum(['ACTIVATED', 'SUSPENDED']),
    start_date: z.iso.datetime({ offset: true }),
    send_activation_emails: z.boolean().optional(),
    activation_email_override: z.string().optional(),
  })
  .refine(
    ({ state, send_activation_emails: send, activation_email_override: override }) =>
      state === 'ACTIVATED' || (send === undefined && override === undefined),
  )
  .refine(({ user_ids: ids, activation_email_override: override }) => override === undefined || ids.length === 1);

export interface StateJobContext {
  users: Collection<SystemUser>;
  jobs: Collection<StateJob>;
  /** The directory's clock, in ms since 1970. */
  now: () => number;
  newId: () => string;
  pager: Pager;
  sendTotal: (reply: FastifyReply, total: number) => void;
}

/** Runs due jobs in the order of their times; called before each request. */
export function runDueJobs({ users, jobs, now }: Pick<StateJobContext, 'users' | 'jobs' | 'now'>): void {
  const due = jobs.all().filter(job => Date.parse(job.scheduledDate) <= now());
  for (const job of due.sort((one, other) => Date.parse(one.scheduledDate) - Date.parse(other.scheduledDate))) {
    const user = users.get(job.systemUserId);
    if (user) users.put(withState(user, job.state));
    jobs.delete(job.scheduledJobId);
  }
}

export function addStateJobs(app: FastifyInstance, context: StateJobContext): void {
  const { users, jobs, newId, pager, sendTotal } = context;

  app.get('/v2/bulk/userstates', ({ query }: ListRequest, reply: FastifyReply) => {
    pageOf(query);
    const wanted = String(query.userid ?? '');
    const rows = jobs.all().filter(job => wanted === '' || job.systemUserId === wanted);
    const found = filterRows(rows, query.filter);
    sendTotal(reply, found.length);
    const remove = (job: StateJob) => void jobs.delete(job.scheduledJobId);
    return pager.pageRows(found, { ...query, sort: 'scheduledDate' }, remove);
  });

  app.get('/v2/bulk/userstates/eventlist/next', ({ query }: ListRequest) => {
    const ids = String(query.users ?? '').split(',');
    if (ids.length > 100) throw new DirectoryError(400, 'Invalid argument');
    const results = ids.flatMap(id => {
      const next = jobs
        .all()
        .filter(job => job.systemUserId === id)
        .sort((one, other) => (one.scheduledDate < other.scheduledDate ? -1 : 1))[0];
      return next ? [next] : [];
    });
    return { events_count: results.length, results };
  });

  app.post('/v2/bulk/userstates', ({ body }, reply) => {
    const request = NewJobs.safeParse(body);
    if (!request.success) throw new DirectoryError(400, 'Invalid argument');
    const { user_ids: ids, state, start_date: startDate } = request.data;
    if (ids.some(id => users.get(id) === undefined)) throw new DirectoryError(400, 'Invalid argument');
    const created = ids.map(systemUserId => ({
      scheduledJobId: newId(),
      scheduledDate: new Date(startDate).toISOString(),
      state,
      systemUserId,
    }));
    for (const job of created) jobs.put(job);
    return reply.code(201).send(created);
  });

  app.delete('/v2/bulk/userstates/:id', ({ params }: ListRequest, reply: FastifyReply) => {
    if (!jobs.delete(params.id)) throw new DirectoryError(404, 'Not Found');
    return reply.code(204).send();
  });
}
