import { describe, expect, it } from 'vitest';
import { openJobWaiter } from '../../../../core/jobs/waiter.ts';
import { jobRecord } from '../../../support/job-record.ts';

const never = new AbortController().signal;
const running = jobRecord({ state: 'running', finishedAt: null });

describe('the job waiter', () => {
  it('wakes all waiters of a changed job and none of other jobs', async () => {
    let latest = running;
    const waiter = openJobWaiter({ find: async () => latest });
    const woken: string[] = [];
    const ended = waiter.untilEnded(running, never).then(job => woken.push(job.state));
    const one = waiter.nextChange(running.id, never).then(() => woken.push('one'));
    const other = new AbortController();
    const another = waiter.nextChange('another', other.signal).then(() => woken.push('another'));
    await Promise.resolve();
    latest = jobRecord();
    waiter.changed(running.id);
    await Promise.all([ended, one]);
    expect(woken.sort()).toEqual(['one', 'succeeded']);
    other.abort();
    await another;
  });

  it('polls, because a notification can be missed', async () => {
    let reads = 0;
    const waiter = openJobWaiter({ find: async () => (++reads < 2 ? running : jobRecord()) });
    expect((await waiter.untilEnded(running, never)).state).toBe('succeeded');
  });

  it('waits no longer than requested', async () => {
    const waiter = openJobWaiter({ find: async () => running });
    const startedAt = performance.now();
    await waiter.nextChange(running.id, never, 20);
    expect(performance.now() - startedAt).toBeLessThan(900);
  });

  it('ends every wait when closed, and later waits at once', async () => {
    const waiter = openJobWaiter({ find: async () => running });
    const waits = [waiter.untilEnded(running, never), waiter.nextChange(running.id, never)];
    waiter.close();
    await Promise.all(waits);
    expect((await waiter.untilEnded(running, never)).state).toBe('running');
    await waiter.nextChange(running.id, never);
    expect(waiter.closed).toBe(true);
  });
});
