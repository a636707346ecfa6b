/** Operator pages at `/ops`: rendered on the server, behind the operator login; a script updates them in place. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../core/runtime/errors.ts';
import { skipTokenCheck } from '../plugins/bearer.ts';
import { type Operator, rejectForged, requireOps } from '../plugins/ops-login.ts';
import { asProblem, logRejection } from '../plugins/problems.ts';
import type { ApiServices } from '../services.ts';
import { doneMessages, type PreparedAction } from './action.ts';
import { findJob, prepareJobAction } from './job-actions.ts';
import { addJobDownloads } from './job-downloads.ts';
import { jobView } from './job-view.ts';
import { overviewView } from './overview.ts';
import { type OpsPages, openOpsPages } from './pages.ts';
import { prepareScheduleAction } from './schedule-actions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    operator: Operator;
  }
}

/** Seconds between live updates. */
const updateSeconds = { overview: 10, job: 5 };

/** A key of `doneMessages`. */
const Done = z.object({
  done: z
    .string()
    .transform(key => doneMessages.get(key))
    .catch(undefined),
});
const JobParams = z.object({ id: z.string() });
const JobActionParams = z.object({ id: z.string(), verb: z.string() });
const ScheduleActionParams = z.object({ name: z.string(), verb: z.string() });
const Confirmed = z.object({ seen: z.string() });

export async function mountOps(app: FastifyInstance, services: ApiServices): Promise<void> {
  const prefix = `${services.config.BASE_PATH}/ops`;
  const pages = await openOpsPages(services.config);
  await app.register(
    async ops => {
      skipTokenCheck(ops);
      requireLogin(ops, services);
      acceptForms(ops);
      answerErrorsWithPages(ops, pages);
      addViews(ops, pages, services);
      addActions(ops, pages, services);
    },
    { prefix },
  );
}

function requireLogin(ops: FastifyInstance, services: ApiServices): void {
  ops.decorateRequest('operator');
  ops.addHook('onRequest', async request => {
    rejectForged(request, services.publicUrl);
    request.operator = await requireOps(request, services);
  });
}

function acceptForms(ops: FastifyInstance): void {
  ops.removeAllContentTypeParsers();
  ops.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 4_096 },
    async (_request: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  );
}

function answerErrorsWithPages(ops: FastifyInstance, pages: OpsPages): void {
  ops.setErrorHandler((error, request, reply) => {
    const problem = asProblem(error);
    logRejection(request, problem);
    const { title, message, status, headers, retryAfterSeconds } = problem;
    reply.headers(headers);
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
    return pages.show('notice', { request, reply }, { title, message }, status);
  });
}

function addViews(ops: FastifyInstance, pages: OpsPages, services: ApiServices): void {
  ops.get('/', async (request, reply) => {
    const view = await overviewView(services);
    const shown = { ...view, ...Done.parse(request.query), updates: updateSeconds.overview };
    return pages.show('overview', { request, reply }, shown);
  });

  ops.get('/jobs/:id', async (request, reply) => {
    const job = await findJob(JobParams.parse(request.params).id, services);
    const view = await jobView(job, services);
    const shown = { ...view, ...Done.parse(request.query), updates: view.isOn ? updateSeconds.job : undefined };
    return pages.show('job', { request, reply }, shown);
  });

  addJobDownloads(ops, services);
}

/** GET shows the confirmation, POST carries out the action. */
function addActions(ops: FastifyInstance, pages: OpsPages, services: ApiServices): void {
  const addAction = (path: string, prepare: (request: FastifyRequest) => Promise<PreparedAction>): void => {
    ops.get(path, async (request, reply) =>
      pages.show('confirm', { request, reply }, (await prepare(request)).confirmation),
    );
    ops.post(path, async (request, reply) => {
      const { confirmation, carryOut } = await prepare(request);
      if (Confirmed.safeParse(request.body).data?.seen !== confirmation.seen)
        throw new ServiceError('conflict', 'The state has changed; nothing was done. Open the page again.');
      const next = await carryOut({ ...request.operator, requestId: request.id });
      return reply.redirect(ops.prefix + next, 303);
    });
  };
  addAction('/jobs/:id/:verb', request => {
    const { id, verb } = JobActionParams.parse(request.params);
    return prepareJobAction(id, verb, services);
  });
  addAction('/schedules/:name/:verb', request => {
    const { name, verb } = ScheduleActionParams.parse(request.params);
    return prepareScheduleAction(name, verb, services);
  });
}
