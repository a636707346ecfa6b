/**
 * The do-not-call registry. Its API is not documented publicly; the response is modelled on public front-end code:
 * `accountNumber`, `dncrStatus` (the texts TRUE and FALSE), `transactionStatus`.
 * A number that ends in 7 is listed; the check of a number that ends in 99 fails.
 */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

const Query = z.object({ accountNumbers: z.array(z.string()).min(1).max(100) });

export function addRegistry(app: FastifyInstance): void {
  app.post('/dncr/query', (request, reply) => {
    if (request.headers['x-api-key'] !== 'sandbox')
      return reply.code(401).send({ code: 'AUTH-401', message: 'Unknown key' });
    const query = Query.safeParse(request.body);
    if (!query.success) return reply.code(400).send({ code: 'VAL-400', message: '1 to 100 accountNumbers are needed' });
    return query.data.accountNumbers.map(statusOf);
  });
}

function statusOf(accountNumber: string) {
  if (!/^0\d{8,9}$/.test(accountNumber))
    return { accountNumber, dncrStatus: null, transactionStatus: 'INVALID_NUMBER' };
  if (accountNumber.endsWith('99')) return { accountNumber, dncrStatus: null, transactionStatus: 'TRY_AGAIN' };
  return {
    accountNumber,
    dncrStatus: accountNumber.endsWith('7') ? 'TRUE' : 'FALSE',
    transactionStatus: null,
  };
}
