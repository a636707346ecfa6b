/** Whether an error says that our database was away. */
import { DrizzleQueryError } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { isOutage } from '../../../../core/postgres/pool-errors.ts';

const failed = (message: string, code?: string): Error =>
  Object.assign(new Error(message), code !== undefined && { code });
const query = (cause: Error): Error => new DrizzleQueryError('select 1', [], cause);

describe('the database was away', () => {
  it.each([
    ['it shut down', query(failed('terminating connection due to administrator command', '57P01'))],
    ['it crashed, in a transaction', failed('terminating connection because of crash', '57P02')],
    ['it was starting up', query(failed('the database system is starting up', '57P03'))],
    ['the connection broke', query(failed('Connection terminated unexpectedly'))],
    ['the connection failed', failed('connection failure', '08006')],
    ['nobody listened', query(failed('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED'))],
  ])('when %s', (_, error) => expect(isOutage(error)).toBe(true));

  it.each([
    ['the statement was wrong', query(failed('syntax error', '42601'))],
    ['the statement took too long', query(failed('canceling statement due to statement timeout', '57014'))],
    ['a row was there already', query(failed('duplicate key', '23505'))],
    ['somebody else did not listen', failed('connect ECONNREFUSED 10.0.0.1:25', 'ECONNREFUSED')],
    ['it is no error at all', 'Connection terminated'],
  ])('but not when %s', (_, error) => expect(isOutage(error)).toBe(false));
});
