/** Operator pages at `/ops`: rendered on the server, behind the operator login; a script updates them in place. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Actor } from '../../core/runtime/actor.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { messageOf } from '../http/input-messages.ts';
import { resultOf, sendResultFile } from '../jobs/job-result.ts';
import { skipTokenCheck } from '../plugins/bearer.ts';
import { requireOperatorRole } from '../plugins/operator-role.ts';
import { acceptSessions, signInPath } from '../plugins/operator-session.ts';
import { type Operator, rejectForged, requireOps } from '../plugins/ops-login.ts';
import type { ApiServices } from '../services.ts';
import { doneMessages, type PreparedAction, prepareScheduleAction } from './action.ts';
import { DealsPageQuery, dealsView } from './deals.ts';
import { failuresView, prepareRetries, RetryQuery, SpanQuery } from './failures.ts';
import { findJob, prepareJobAction } from './job-actions.ts';
import { JobListQuery, jobIdIn, jobListView, pathOf } from './job-list.ts';
import { jobView } from './job-view.ts';
import { overviewView } from './overview.ts';
import { answerErrorsWithPages, type OpsPages, openOpsPages } from './pages.ts';
import { changesCsv } from './planned-changes.ts';
import { addStudioToken } from './studio.ts';

declare module 'fastify' {
  interface FastifyRequest {
    operator: Operator;
  }
}

/** Seconds between live updates. */
const updateSeconds = { overview: 10, jobs: 10, failures: 30, job: 5 };

/** A key of `doneMessages`. */
const Done = z.object({
  done: z
    .string()
    .transform(key => doneMessages.get(key))
    .catch(undefined),
});
const IdParams = z.object({ id: z.string() });
const JobActionParams = z.object({ id: z.string(), verb: z.string() });
const ScheduleActionParams = z.object({ name: z.string(), verb: z.string() });
const Confirmed = z.object({ seen: z.string() });

export async function mountOps(app: FastifyInstance, services: ApiServices): Promise<void> {
  const prefix = `${services.config.BASE_PATH}/ops`;
  const pages = await openOpsPages(services.config);
  await app.register(
    async ops => {
      skipTokenCheck(ops);
      await acceptSessions(ops, services);
      requireLogin(ops, services);
      acceptForms(ops);
      answerErrorsWithPages(ops, pages);
      addViews(ops, pages, services);
      addActions(ops, pages, services);
      addStudioToken(ops, services);
    },
    { prefix },
  );
  if (services.config.OIDC_ISSUER === undefined) return;
  const { mountSignIn } = await import('./sign-in.ts');
  await mountSignIn(app, services, pages);
}

function requireLogin(ops: FastifyInstance, services: ApiServices): void {
  ops.decorateRequest('operator');
  ops.addHook('onRequest', async (request, reply) => {
    rejectForged(request, services);
    try {
      request.operator = await requireOps(request, services);
    } catch (error) {
      const signIn = signInPath(request, services.config);
      if (signIn === undefined || !isUnauthorized(error)) throw error;
      return reply.redirect(signIn, 303);
    }
  });
}

const isUnauthorized = (error: unknown): boolean => error instanceof ServiceError && error.code === 'unauthorized';

function acceptForms(ops: FastifyInstance): void {
  ops.removeAllContentTypeParsers();
  ops.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 4_096 },
    async (_request: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  );
}

function addViews(ops: FastifyInstance, pages: OpsPages, services: ApiServices): void {
  ops.get('/', async (request, reply) => {
    const view = await overviewView(services);
    const shown = { ...view, ...Done.parse(request.query), updates: updateSeconds.overview };
    return pages.show('overview', { request, reply }, shown);
  });

  ops.get('/jobs', async (request, reply) => {
    const query = parseQuery(JobListQuery, request);
    const id = jobIdIn(query.search);
    if (id !== undefined && (await services.records.find(id))) return reply.redirect(`${ops.prefix}/jobs/${id}`, 303);
    // A form sends its empty fields: the address that is shared has none.
    if (/[?&]\w+=(&|$)/.test(request.url)) return reply.redirect(ops.prefix + pathOf(query), 303);
    const view = await jobListView(query, services);
    return pages.show('jobs', { request, reply }, { ...view, updates: updateSeconds.jobs });
  });

  ops.get('/failures', async (request, reply) => {
    const view = await failuresView(parseQuery(SpanQuery, request), services);
    return pages.show('failures', { request, reply }, { ...view, updates: updateSeconds.failures });
  });

  ops.get('/deals', async (request, reply) =>
    pages.show('deals', { request, reply }, await dealsView(parseQuery(DealsPageQuery, request), services)),
  );

  ops.get('/jobs/:id', async (request, reply) => {
    const job = await findJob(IdParams.parse(request.params).id, services);
    const view = await jobView(job, services);
    const shown = { ...view, ...Done.parse(request.query), updates: view.isOn ? updateSeconds.job : undefined };
    return pages.show('job', { request, reply }, shown);
  });

  addJobDownloads(ops, services);
}

/** Empty parameters count as absent. @throws ServiceError invalid-input */
function parseQuery<Schema extends z.ZodType>(schema: Schema, { query }: FastifyRequest): z.output<Schema> {
  const given = Object.entries(z.record(z.string(), z.unknown()).parse(query)).filter(([, value]) => value !== '');
  const { data, error } = schema.safeParse(Object.fromEntries(given), { error: messageOf });
  if (data !== undefined) return data;
  const faults = error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim());
  throw new ServiceError('invalid-input', `The address of this page is invalid: ${faults?.join('; ')}.`);
}

/** GET shows the confirmation, POST carries out the action. */
function addActions(ops: FastifyInstance, pages: OpsPages, services: ApiServices): void {
  const addAction = (path: string, prepare: (request: FastifyRequest) => Promise<PreparedAction>): void => {
    ops.get(path, async (request, reply) => {
      requireOperatorRole(request.operator);
      return pages.show('confirm', { request, reply }, (await prepare(request)).confirmation);
    });
    ops.post(path, async (request, reply) => {
      requireOperatorRole(request.operator);
      const { confirmation, carryOut } = await prepare(request);
      const { seen } = Confirmed.safeParse(request.body).data ?? {};
      if (seen !== confirmation.seen)
        throw new ServiceError('conflict', 'The state has changed; nothing was done. Open the page again.');
      const next = await carryOut(actorOf(request));
      if (typeof next === 'object') return pages.show('report', { request, reply }, next);
      return reply.redirect(ops.prefix + next, 303);
    });
  };
  addAction('/jobs/:id/:verb', request => {
    const { id, verb } = JobActionParams.parse(request.params);
    return prepareJobAction(id, verb, services);
  });
  addAction('/failures/retry', request => prepareRetries(parseQuery(RetryQuery, request), services));
  addAction('/schedules/:name/:verb', request => {
    const { name, verb } = ScheduleActionParams.parse(request.params);
    return prepareScheduleAction(name, verb, services);
  });
}

const actorOf = ({ operator: { kind, name }, id }: FastifyRequest): Actor => ({ kind, name, requestId: id });

const JobParams = z.object({ id: z.string() });
const PartParams = JobParams.extend({ name: z.string() });

function addJobDownloads(ops: FastifyInstance, services: ApiServices): void {
  ops.get('/jobs/:id/result', async (request, reply) => {
    const job = await resultOf(await findJob(JobParams.parse(request.params).id, services), { services });
    const { status, headers, body } = await sendResultFile(job, { services, request });
    return reply
      .code(status)
      .headers(headers ?? attachment(`${job.id}.json`))
      .send(body);
  });

  ops.get('/jobs/:id/result/files/:name', async (request, reply) => {
    const { id, name } = PartParams.parse(request.params);
    const job = await resultOf(await findJob(id, services), { services });
    if (!job.resultFile) throw new ServiceError('not-found', 'The result of this job has no files.');
    const { status, headers = {}, body } = await sendResultFile(job, { services, request }, { part: name });
    return reply.code(status).headers(headers).send(body);
  });

  ops.get('/jobs/:id/plan.csv', async (request, reply) => {
    const job = await findJob(JobParams.parse(request.params).id, services);
    const plan = await services.records.plan(job.id);
    if (!plan) throw new ServiceError('not-found', 'The job has no plan: it was not held.');
    return reply
      .type('text/csv; charset=utf-8')
      .headers(attachment(`${job.id}.csv`))
      .send(Readable.from(changesCsv(services.records.plannedRows(job.id)), { objectMode: false }));
  });
}

const attachment = (fileName: string) => ({
  'content-disposition': `attachment; filename="${fileName}"`,
  'cache-control': 'no-store',
});
