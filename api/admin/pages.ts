/** The operator pages: templates, navigation, and the headers of their answers. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceConfig } from '../../core/runtime/service-config.ts';
import { openPage } from '../http/html-page.ts';
import { asProblem, logRejection } from '../plugins/problems.ts';

const pageNames = ['overview', 'jobs', 'job', 'failures', 'deals', 'confirm', 'report', 'notice'] as const;
/** Pages with one column of text. */
const narrowPages: readonly PageName[] = ['confirm', 'report', 'notice'];
type PageName = (typeof pageNames)[number];

/** Paths below `/ops`. */
const navigation = [
  { path: '', label: 'Overview' },
  { path: '/jobs', label: 'Jobs' },
  { path: '/failures', label: 'Failures' },
  { path: '/deals', label: 'Deals' },
  { path: '/queues', label: 'Bull Board' },
];

export interface PageView {
  title: string;
  /** Seconds between live updates; absent: the page does not change by itself. */
  updates?: number | undefined;
}

export type OpsPages = Awaited<ReturnType<typeof openOpsPages>>;

export async function openOpsPages({
  BASE_PATH: api,
  NODE_ENV: environment,
}: Pick<ServiceConfig, 'BASE_PATH' | 'NODE_ENV'>) {
  const partials = {
    layout: 'ops/layout.hbs',
    time: 'ops/time.hbs',
    cause: 'ops/cause.hbs',
    bars: 'ops/bars.hbs',
    samples: 'ops/samples.hbs',
  };
  const open = (name: PageName) => openPage(`ops/${name}.hbs`, 'ops/styles.css', partials, 'ops/live.js');
  const pages = new Map(await Promise.all(pageNames.map(async name => [name, await open(name)] as const)));
  const base = `${api}/ops`;
  return {
    show<View extends PageView>(
      name: PageName,
      { request, reply }: { request: FastifyRequest; reply: FastifyReply },
      view: View,
      status = 200,
    ): FastifyReply {
      const page = pages.get(name);
      if (!page) throw new Error(`there is no page ${name}`);
      const [path] = request.url.replace(/\/$/, '').split('?');
      const nav = navigation.map(link => ({ ...link, isCurrent: path === base + link.path }));
      const narrow = narrowPages.includes(name);
      const { signedIn } = request.session ?? {};
      const mayAct = request.operator?.role === 'operator';
      const { headers, body } = page.answer(status, { api, base, environment, nav, narrow, signedIn, mayAct, ...view });
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

/** Answers errors of these routes with a page. */
export function answerErrorsWithPages(ops: FastifyInstance, pages: OpsPages): void {
  ops.setErrorHandler((error, request, reply) => {
    const problem = asProblem(error);
    logRejection(request, problem);
    const { title, message, status, headers, retryAfterSeconds } = problem;
    reply.headers(headers);
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
    return pages.show('notice', { request, reply }, { title, message }, status);
  });
}
