/** The pages of operations at `/ops`: made on the server, behind the login of operations, usable without any script. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { ServiceConfig } from '../../core/runtime/service-config.ts';
import { openPage } from '../http/html-page.ts';
import { openToAll } from '../plugins/bearer.ts';
import { type Operator, refuseForged, requireOps } from '../plugins/ops-login.ts';
import { asProblem, logRefusal } from '../plugins/problems.ts';
import type { ApiServices } from '../services.ts';
import { doneSentences, type PreparedAct } from './action.ts';
import { jobNamed, prepareJobAct } from './job-actions.ts';
import { jobView } from './job-view.ts';
import { overviewView } from './overview.ts';
import { prepareScheduleAct } from './schedule-actions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    operator: Operator;
  }
}

/** How often the pages load themselves again, in seconds. */
const refreshSeconds = { overview: 15, job: 5 };

const Query = z.object({ done: z.string().catch(''), refresh: z.string().catch('') });
const JobParams = z.object({ id: z.string() });
const JobActParams = z.object({ id: z.string(), verb: z.string() });
const ScheduleActParams = z.object({ name: z.string(), verb: z.string() });
const Confirmed = z.object({ seen: z.string() });

export async function mountOps(app: FastifyInstance, services: ApiServices): Promise<void> {
  const prefix = `${services.config.BASE_PATH}/ops`;
  const pages = await openOpsPages(services.config);
  await app.register(
    async ops => {
      openToAll(ops);
      guard(ops, services);
      takeForms(ops);
      answerWithPages(ops, pages);
      addLooks(ops, pages, services);
      addActs(ops, pages, services);
    },
    { prefix },
  );
}

function guard(ops: FastifyInstance, services: ApiServices): void {
  ops.decorateRequest('operator');
  ops.addHook('onRequest', async request => {
    refuseForged(request, services.publicUrl);
    request.operator = await requireOps(request, services);
  });
}

/** The confirmations are forms of one field. */
function takeForms(ops: FastifyInstance): void {
  ops.removeAllContentTypeParsers();
  ops.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 4_096 },
    async (_request: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  );
}

function answerWithPages(ops: FastifyInstance, pages: OpsPages): void {
  ops.setErrorHandler((error, request, reply) => {
    const problem = asProblem(error);
    logRefusal(request, problem);
    const { title, message, status, headers, retryAfterSeconds } = problem;
    reply.headers(headers);
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
    return pages.show('notice', { request, reply }, { title, message }, status);
  });
}

function addLooks(ops: FastifyInstance, pages: OpsPages, services: ApiServices): void {
  ops.get('/', async (request, reply) => {
    const { done, refresh } = Query.parse(request.query);
    const view = await overviewView(services);
    const refreshes = refresh === 'off' ? null : refreshSeconds.overview;
    return pages.show('overview', { request, reply }, { ...view, done: doneSentences.get(done), refreshes });
  });

  ops.get('/jobs/:id', async (request, reply) => {
    const { done } = Query.parse(request.query);
    const job = await jobNamed(JobParams.parse(request.params).id, services);
    const view = await jobView(job, services);
    const refreshes = view.isOn ? refreshSeconds.job : null;
    return pages.show('job', { request, reply }, { ...view, done: doneSentences.get(done), refreshes });
  });
}

function addActs(ops: FastifyInstance, pages: OpsPages, services: ApiServices): void {
  /** Asked about with GET, done with POST. */
  const offer = (path: string, prepare: (request: FastifyRequest) => Promise<PreparedAct>): void => {
    ops.get(path, async (request, reply) =>
      pages.show('confirm', { request, reply }, (await prepare(request)).confirmation),
    );
    ops.post(path, async (request, reply) => {
      const { confirmation, carryOut } = await prepare(request);
      if (Confirmed.safeParse(request.body).data?.seen !== confirmation.seen) throw changedMeanwhile();
      const next = await carryOut({ ...request.operator, requestId: request.id });
      return reply.redirect(ops.prefix + next, 303);
    });
  };
  offer('/jobs/:id/:verb', request => {
    const { id, verb } = JobActParams.parse(request.params);
    return prepareJobAct(id, verb, services);
  });
  offer('/schedules/:name/:verb', request => {
    const { name, verb } = ScheduleActParams.parse(request.params);
    return prepareScheduleAct(name, verb, services);
  });
}

const changedMeanwhile = (): ServiceError =>
  new ServiceError('conflict', 'It has changed since you looked at it; nothing was done. Look at it again.');

const names = ['overview', 'job', 'confirm', 'notice'] as const;
type PageName = (typeof names)[number];

export interface OpsPages {
  show(name: PageName, call: PageCall, view: object, status?: number): FastifyReply;
}

interface PageCall {
  request: FastifyRequest;
  reply: FastifyReply;
}

export async function openOpsPages({
  BASE_PATH: api,
  NODE_ENV: environment,
}: Pick<ServiceConfig, 'BASE_PATH' | 'NODE_ENV'>): Promise<OpsPages> {
  const parts = { head: 'ops/head.hbs', time: 'ops/time.hbs' };
  const opened = await Promise.all(
    names.map(async name => [name, await openPage(`ops/${name}.hbs`, 'ops/styles.css', parts)] as const),
  );
  const pages = new Map(opened);
  return {
    show(name, { request, reply }, view, status = 200) {
      const page = pages.get(name);
      if (!page) throw new Error(`there is no page ${name}`);
      const [path] = request.url.split('?');
      const { headers, body } = page.answer(status, { api, base: `${api}/ops`, environment, path, ...view });
      return (
        reply
          .code(status)
          // Without a referrer a browser would not say either that a form comes from these pages.
          .headers({ ...headers, 'referrer-policy': 'same-origin' })
          .send(body)
      );
    },
  };
}
