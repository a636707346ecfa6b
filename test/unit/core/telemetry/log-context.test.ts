import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { logContext, withLogContext, withoutLogContext } from '../../../../core/telemetry/log-context.ts';

describe('the log context', () => {
  it('follows promises and timers, separately for concurrent work', async () => {
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

  it('adds ids to those of the outer context', () => {
    const within = withLogContext({ jobId: 'pdf_1' }, () => withLogContext({ requestId: 'a' }, logContext));
    expect(within).toEqual({ jobId: 'pdf_1', requestId: 'a' });
  });

  it('is empty in listeners of a connection that outlives the work', () => {
    const connection = new EventEmitter();
    const calls: unknown[] = [];
    connection.on(
      'error',
      withoutLogContext((reason: string) => calls.push([reason, logContext()])),
    );
    withLogContext({ requestId: 'a' }, () => connection.emit('error', 'lost'));
    expect(calls).toEqual([['lost', {}]]);
  });
});
