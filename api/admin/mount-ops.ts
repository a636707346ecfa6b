/** Operator pages at `/ops`: rendered on the server, behind the operator login, without scripts. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { ServiceConfig } from '../../core/runtime/service-config.ts';
import { openPage } from '../http/html-page.ts';
import { skipTokenCheck } from '../plugins/bearer.ts';
import { type Operator, rejectForged, requireOps } from '../plugins/ops-login.ts';
import { asProblem, logRejection } from '../plugins/problems.ts';
import type { ApiServices } from '../services.ts';
import { doneMessages, type PreparedAction } from './action.ts';
import { findJob, prepareJobAction } from './job-actions.ts';
import { jobView } from './job-view.ts';
import { overviewView } from './overview.ts';
import { prepareScheduleAction } from './schedule-actions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    operator: Operator;
  }
}

/** Reload interval of the pages. */
const refreshSeconds = { overview: 15, job: 5 };

const Query = z.object({ done: z.string().catch(''), refresh: z.string().catch('') });
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
    const { done, refresh } = Query.parse(request.query);
    const view = await overviewView(services);
    const refreshes = refresh === 'off' ? null : refreshSeconds.overview;
    return pages.show('overview', { request, reply }, { ...view, done: doneMessages.get(done), refreshes });
  });

  ops.get('/jobs/:id', async (request, reply) => {
    const { done } = Query.parse(request.query);
    const job = await findJob(JobParams.parse(request.params).id, services);
    const view = await jobView(job, services);
    const refreshes = view.isOn ? refreshSeconds.job : null;
    return pages.show('job', { request, reply }, { ...view, done: doneMessages.get(done), refreshes });
  });
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

const pageNames = ['overview', 'job', 'confirm', 'notice'] as const;
type PageName = (typeof pageNames)[number];
type OpsPages = Awaited<ReturnType<typeof openOpsPages>>;

async function openOpsPages({ BASE_PATH: api, NODE_ENV: environment }: Pick<ServiceConfig, 'BASE_PATH' | 'NODE_ENV'>) {
  const partials = { head: 'ops/head.hbs', time: 'ops/time.hbs' };
  const opened = await Promise.all(
    pageNames.map(async name => [name, await openPage(`ops/${name}.hbs`, 'ops/styles.css', partials)] as const),
  );
  const pages = new Map(opened);
  return {
    show(
      name: PageName,
      { request, reply }: { request: FastifyRequest; reply: FastifyReply },
      view: object,
      status = 200,
    ): FastifyReply {
      const page = pages.get(name);
      if (!page) throw new Error(`there is no page ${name}`);
      const [path] = request.url.split('?');
      const { headers, body } = page.answer(status, { api, base: `${api}/ops`, environment, path, ...view });
      return (
        reply
          .code(status)
          // `no-referrer` would also remove the Origin header of forms, which `rejectForged` checks.
          .headers({ ...headers, 'referrer-policy': 'same-origin' })
          .send(body)
      );
    },
  };
}
