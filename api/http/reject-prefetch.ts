/** Rejects HEAD, prefetches and link previews on GET operations with side effects. */
import type { FastifyRequest } from 'fastify';
import { isPrefetch, readUserAgent } from '../../core/domain/links/request-headers.ts';
import { ServiceError } from '../../core/runtime/errors.ts';

/**
 * @param effect such as `starts a job`
 * @throws ServiceError forbidden, method-not-allowed
 */
export function rejectPrefetch(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  effect: string,
): void {
  if (method === 'HEAD') {
    throw new ServiceError(
      'method-not-allowed',
      `This address ${effect}, which HEAD must not do; send GET.`,
      {
        headers: { allow: 'GET' },
      },
    );
  }
  if (!isPrefetch(headers) && readUserAgent(headers['user-agent']).class !== 'preview') return;
  throw new ServiceError(
    'forbidden',
    `This address ${effect}: it rejects prefetches and link previews. Send a normal GET request.`,
    { headers: { 'cache-control': 'no-store' } },
  );
}
