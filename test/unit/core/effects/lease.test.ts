import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withHeartbeat } from '../../../../core/effects/lease.ts';
import { gate } from '../../../support/gate.ts';

const logger = pino({ level: 'silent' });

describe('the heartbeat of a lease', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('renews the lease every 5 s until the work has ended', async () => {
    const renew = vi.fn(async () => {});
    const { open, opened } = gate();
    const work = withHeartbeat({ renew }, { logger }, () => opened);
    vi.advanceTimersByTime(4_999);
    expect(renew).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10_001);
    expect(renew).toHaveBeenCalledTimes(3);
    open();
    await work;
    vi.advanceTimersByTime(60_000);
    expect(renew).toHaveBeenCalledTimes(3);
  });

  it('ends when the work fails', async () => {
    const renew = vi.fn(async () => {});
    await expect(withHeartbeat({ renew }, { logger }, () => Promise.reject(new Error('It broke.')))).rejects.toThrow();
    vi.advanceTimersByTime(60_000);
    expect(renew).not.toHaveBeenCalled();
  });

  it('logs that it could not renew the lease; the work continues', async () => {
    const error = new Error('The connection broke.');
    const warn = vi.spyOn(logger, 'warn');
    const { open, opened } = gate();
    const work = withHeartbeat({ renew: () => Promise.reject(error) }, { logger }, () => opened);
    vi.advanceTimersByTime(5_000);
    await expect.poll(() => warn).toHaveBeenCalledWith({ err: error }, 'could not renew a lease');
    open();
    await work;
  });
});
