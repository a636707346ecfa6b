/** The pages of operations at `/ops`: made on the server, behind the login of operations, usable without any script. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { openPage, type Page } from '../page.ts';
import { openToAll } from '../plugins/bearer.ts';
import { asProblem, logRefusal } from '../plugins/problems.ts';
import type { ApiServices } from '../services.ts';
import { doneSentences, type PreparedAct } from './act.ts';
import { jobNamed, prepareJobAct } from './job-acts.ts';
import { jobView } from './job-view.ts';
import { type Operator, refuseForged, requireOps } from './ops-login.ts';
import { overviewView } from './overview.ts';
import { prepareScheduleAct } from './schedule-acts.ts';

declare module 'fastify' {
  interface FastifyRequest {
    operator: Operator;
  }
}

const Query = z.object({
  done: z.string().optional().catch(undefined),
  refresh: z.string().optional().catch(undefined),
});
const JobParams = z.object({ id: z.string(), verb: z.string().default('') });
const ScheduleParams = z.object({ name: z.string(), verb: z.string() });
const Confirmed = z.object({ seen: z.string() });

/** How often the pages load themselves again, in seconds. */
const refreshSeconds = { overview: 15, job: 5 };

export async function mountOps(app: FastifyInstance, services: ApiServices): Promise<void> {
  const base = `${services.config.BASE_PATH}/ops`;
  const page = (name: string) =>
    openPage(`ops/${name}.hbs`, 'ops/styles.css', { head: 'ops/head.hbs', time: 'ops/time.hbs' });
  const [overview, job, confirm, notice] = await Promise.all([
    page('overview'),
    page('job'),
    page('confirm'),
    page('notice'),
  ]);

  const show = (
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    shown: Page,
    view: object,
    {
      status = 200,
      headers: more = {},
    }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
  ): FastifyReply => {
    const environment = services.config.NODE_ENV;
    const { headers, body } = shown.answer(status, {
      base,
      api: services.config.BASE_PATH,
      environment,
      path: request.url.split('?')[0],
      ...view,
    });
    // Without a referrer a browser would not say either that a form comes from these pages.
    return reply
      .code(status)
      .headers({ ...headers, 'referrer-policy': 'same-origin', ...more })
      .send(body);
  };

  await app.register(
    async ops => {
      openToAll(ops);
      takeForms(ops);
      ops.decorateRequest('operator');
      ops.addHook('onRequest', async request => {
        refuseForged(request, services.publicUrl);
        request.operator = await requireOps(request, services);
      });
      ops.setErrorHandler((error, request, reply) => {
        const problem = asProblem(error);
        logRefusal(request, problem);
        const { title, message, status, headers } = problem;
        return show({ request, reply }, notice, { title, message }, { status, headers });
      });

      ops.get('/', async (request, reply) => {
        const { done = '', refresh } = Query.parse(request.query);
        const view = await overviewView(services);
        const refreshes = refresh === 'off' ? null : refreshSeconds.overview;
        return show({ request, reply }, overview, { ...view, done: doneSentences.get(done), refreshes });
      });

      ops.get('/jobs/:id', async (request, reply) => {
        const { done = '' } = Query.parse(request.query);
        const found = await jobNamed(JobParams.parse(request.params).id, services);
        const view = await jobView(found, services);
        const refreshes = 'isOn' in view && view.isOn === true ? refreshSeconds.job : null;
        return show({ request, reply }, job, { ...view, done: doneSentences.get(done), refreshes });
      });

      const offer = (path: string, prepare: (request: FastifyRequest) => Promise<PreparedAct>): void => {
        ops.get(path, async (request, reply) =>
          show({ request, reply }, confirm, (await prepare(request)).confirmation),
        );
        ops.post(path, async (request, reply) => {
          const { confirmation, carryOut } = await prepare(request);
          const { data } = Confirmed.safeParse(request.body);
          if (data?.seen !== confirmation.seen) throw changedMeanwhile();
          const next = await carryOut({ ...request.operator, requestId: request.id });
          return reply.redirect(base + next, 303);
        });
      };
      offer('/jobs/:id/:verb', request => {
        const { id, verb } = JobParams.parse(request.params);
        return prepareJobAct(id, verb, services);
      });
      offer('/schedules/:name/:verb', request => {
        const { name, verb } = ScheduleParams.parse(request.params);
        return prepareScheduleAct(name, verb, services);
      });
    },
    { prefix: base },
  );
}

const changedMeanwhile = (): ServiceError =>
  new ServiceError('conflict', 'It has changed since you looked at it; nothing was done. Look at it again.');

/** The confirmations are forms of one field. */
function takeForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 4_096 },
    async (_request: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  );
}
