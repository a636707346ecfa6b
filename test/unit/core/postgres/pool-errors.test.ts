import { DrizzleQueryError } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { isOutage, isQueryOutage } from '../../../../core/postgres/pool-errors.ts';

const failed = (message: string, code?: string): Error =>
  Object.assign(new Error(message), code !== undefined && { code });
const query = (cause: Error): Error => new DrizzleQueryError('select 1', [], cause);

describe('isOutage', () => {
  it.each([
    ['PostgreSQL shut down', query(failed('terminating connection due to administrator command', '57P01'))],
    ['PostgreSQL crashed during a transaction', failed('terminating connection because of crash', '57P02')],
    ['PostgreSQL is starting up', query(failed('the database system is starting up', '57P03'))],
    ['PostgreSQL has no free connection', query(failed('sorry, too many clients already', '53300'))],
    ['PostgreSQL is read-only', query(failed('cannot execute INSERT in a read-only transaction', '25006'))],
    ['the connection was lost', query(failed('Connection terminated unexpectedly'))],
    [
      'a query was part of what failed',
      new Error('2 of 3', { cause: new AggregateError([failed('full'), query(failed('', '25006'))]) }),
    ],
    ['the connection failed', failed('connection failure', '08006')],
    ['PostgreSQL refuses the connection', query(failed('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED'))],
  ])('is true when %s', (_, error) => expect(isOutage(error)).toBe(true));

  it.each([
    ['the statement is invalid', query(failed('syntax error', '42601'))],
    ['the server of an outside system shut down', new Error('chat bot', { cause: failed('terminating', '57P01') })],
    ['the statement took too long', query(failed('canceling statement due to statement timeout', '57014'))],
    ['a row exists already', query(failed('duplicate key', '23505'))],
    ['another server refuses the connection', failed('connect ECONNREFUSED 10.0.0.1:25', 'ECONNREFUSED')],
    ['the value is no error', 'Connection terminated'],
  ])('is false when %s', (_, error) => expect(isOutage(error)).toBe(false));
});

describe('isQueryOutage', () => {
  it.each([
    ['PostgreSQL is starting up', failed('the database system is starting up', '57P03')],
    ['PostgreSQL refuses the connection', failed('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED')],
  ])('is true when %s', (_, error) => expect(isQueryOutage(error)).toBe(true));

  it.each([
    ['the statement is invalid', failed('syntax error', '42601')],
    ['the value is no error', 'ECONNREFUSED'],
  ])('is false when %s', (_, error) => expect(isQueryOutage(error)).toBe(false));
});
