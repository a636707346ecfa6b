import { describe, expect, it } from 'vitest';
import { openJobWatch } from '../../../../api/jobs/job-waiter.ts';
import { jobRecord } from '../../../support/job-record.ts';

const never = new AbortController().signal;
const running = jobRecord({ state: 'running', finishedAt: null });

describe('the watch over jobs', () => {
  it('wakes every kind of waiter of a job at its change, and those of other jobs not', async () => {
    let latest = running;
    const watch = openJobWatch({ find: async () => latest });
    const woken: string[] = [];
    const ended = watch.untilEnded(running, never).then(job => woken.push(job.state));
    const one = watch.nextChange(running.id, never).then(() => woken.push('one'));
    const other = new AbortController();
    const another = watch.nextChange('another', other.signal).then(() => woken.push('another'));
    await Promise.resolve();
    latest = jobRecord();
    watch.changed(running.id);
    await Promise.all([ended, one]);
    expect(woken.sort()).toEqual(['one', 'succeeded']);
    other.abort();
    await another;
  });

  it('looks without having been told, because a notification can be missed', async () => {
    let looks = 0;
    const watch = openJobWatch({ find: async () => (++looks < 2 ? running : jobRecord()) });
    expect((await watch.untilEnded(running, never)).state).toBe('succeeded');
  });

  it('waits no longer than it is asked to', async () => {
    const watch = openJobWatch({ find: async () => running });
    const begun = performance.now();
    await watch.nextChange(running.id, never, 20);
    expect(performance.now() - begun).toBeLessThan(900);
  });

  it('ends every wait when it is closed, and begins none after that', async () => {
    const watch = openJobWatch({ find: async () => running });
    const waits = [watch.untilEnded(running, never), watch.nextChange(running.id, never)];
    watch.close();
    await Promise.all(waits);
    expect((await watch.untilEnded(running, never)).state).toBe('running');
    await watch.nextChange(running.id, never);
    expect(watch.closed).toBe(true);
  });
});
