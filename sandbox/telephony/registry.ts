/**
 * The do-not-call registry. Its API is not documented publicly; the response is modelled on public front-end code:
 * `accountNumber`, `dncrStatus` (the texts TRUE and FALSE), `transactionStatus`.
 * A number that ends in 7 is listed; the check of a number that ends in 99 fails. With odd rows, the status of a number
 * that ends in 55 is a boolean, and the number that ends in 66 is not a text.
 */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

const Query = z.object({ accountNumbers: z.array(z.string()).min(1).max(100) });

/** @param isMessy whether rows are served in odd forms */
export function addRegistry(app: FastifyInstance, isMessy: () => boolean): void {
  app.post('/dncr/query', (request, reply) => {
    if (request.headers['x-api-key'] !== 'sandbox')
      return reply.code(401).send({ code: 'AUTH-401', message: 'Unknown key' });
    const query = Query.safeParse(request.body);
    if (!query.success) return reply.code(400).send({ code: 'VAL-400', message: '1 to 100 accountNumbers are needed' });
    const rows = query.data.accountNumbers.map(statusOf);
    return isMessy() ? rows.map(messyRow) : rows;
  });
}

function statusOf(accountNumber: string) {
  if (!/^0\d{8,9}$/.test(accountNumber))
    return { accountNumber, dncrStatus: null, transactionStatus: 'INVALID_NUMBER' };
  if (accountNumber.endsWith('99')) return { accountNumber, dncrStatus: null, transactionStatus: 'TRY_AGAIN' };
  return { accountNumber, dncrStatus: accountNumber.endsWith('7') ? 'TRUE' : 'FALSE', transactionStatus: null };
}

function messyRow(row: ReturnType<typeof statusOf>): object {
  if (row.accountNumber.endsWith('55')) return { ...row, dncrStatus: true };
  return row.accountNumber.endsWith('66') ? { ...row, accountNumber: Number(row.accountNumber) } : row;
}
