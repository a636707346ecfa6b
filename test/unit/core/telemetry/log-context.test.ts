/** Lines of the log say for which request and job they were written, however deep in the work, and nothing else's. */
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withoutLogContext, logContext, withLogContext } from '../../../../core/telemetry/log-context.ts';

describe('the ids of the work', () => {
  it('are there across promises and timers, and apart for works side by side', async () => {
    const deep = async () => {
      await sleep(1);
      return await new Promise(resolve => setImmediate(() => resolve(logContext())));
    };
    const both = await Promise.all([
      withLogContext({ requestId: 'a' }, deep),
      withLogContext({ requestId: 'b' }, deep),
    ]);
    expect(both).toEqual([{ requestId: 'a' }, { requestId: 'b' }]);
    expect(logContext()).toEqual({});
  });

  it('add up: a job says which request made it', () => {
    const within = withLogContext({ jobId: 'pdf_1' }, () => withLogContext({ requestId: 'a' }, logContext));
    expect(within).toEqual({ jobId: 'pdf_1', requestId: 'a' });
  });

  it('are none for what happens to a connection that the work opened and left open', () => {
    const connection = new EventEmitter();
    const told: unknown[] = [];
    connection.on(
      'error',
      withoutLogContext((reason: string) => told.push([reason, logContext()])),
    );
    withLogContext({ requestId: 'a' }, () => connection.emit('error', 'lost'));
    expect(told).toEqual([['lost', {}]]);
  });
});
