import { describe, expect, it } from 'vitest';
import { withSessionLock } from '../../../../core/postgres/locks.ts';
import { gate } from '../../../support/gate.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const { database } = await useTestDatabase('session lock', 2);

const signal = new AbortController().signal;
const locked = <T>(name: string, work: () => Promise<T>, until = signal) =>
  withSessionLock(database, { name, signal: until }, work);

describe('withSessionLock', () => {
  it('runs work of one name one after the other, work of another name concurrently', async () => {
    const order: string[] = [];
    const leave = gate();
    const entered = gate();
    const first = locked('a', async () => {
      entered.open();
      await leave.opened;
      order.push('first');
    });
    await entered.opened;
    const second = locked('a', async () => void order.push('second'));
    await locked('b', async () => void order.push('other'));
    leave.open();
    await Promise.all([first, second]);
    expect(order).toEqual(['other', 'first', 'second']);
  });

  it('releases the lock when the work fails', async () => {
    await expect(locked('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await locked('a', async () => 'free')).toBe('free');
  });

  it('stops waiting when the signal aborts', async () => {
    const waiter = new AbortController();
    await locked('a', async () => {
      const waiting = locked('a', async () => 'never', waiter.signal);
      waiter.abort();
      await expect(waiting).rejects.toThrow('aborted');
    });
  });
});
