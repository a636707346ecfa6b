/** The templates of operations' pages, with what all of them show and the headers that all of them carry. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceConfig } from '../../core/runtime/service-config.ts';
import { openPage } from '../http/html-page.ts';

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
