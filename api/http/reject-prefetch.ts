/** Keeps what only looks from setting off an operation that acts on GET: fetching ahead, link previews, HEAD. */
import type { FastifyRequest } from 'fastify';
import { isPrefetch, readUserAgent } from '../../core/domain/links/request-headers.ts';
import { ServiceError } from '../../core/runtime/errors.ts';

/**
 * @param does what the address does, such as `starts a job`
 * @throws ServiceError forbidden, method-not-allowed
 */
export function refuseLooks(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  does: string,
): void {
  if (method === 'HEAD') {
    throw new ServiceError('method-not-allowed', `This address ${does}, which HEAD must not do; send GET.`, {
      headers: { allow: 'GET' },
    });
  }
  if (!isPrefetch(headers) && readUserAgent(headers['user-agent']).class !== 'preview') return;
  throw new ServiceError(
    'forbidden',
    `This address ${does}, so that it is not fetched ahead; send the request again when it is meant.`,
    { headers: { 'cache-control': 'no-store' } },
  );
}
