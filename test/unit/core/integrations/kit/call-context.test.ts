/** The context of calls: priority, waits, counters and fences. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import {
  callContext,
  callsMade,
  maxWaitMs,
  waitingFor,
  withCallContext,
  withFence,
  withSharedContext,
} from '../../../../../core/integrations/kit/call-context.ts';

describe('a context', () => {
  it('is that of background work without one', () =>
    expect(callContext()).toEqual({
      priority: 'background',
      retries: true,
      signal: undefined,
      run: undefined,
      calls: new Map(),
      sent: new Map(),
      sandboxes: new Set(),
      waits: new Set(),
      badRows: new Map(),
      deadlineAt: undefined,
    }));

  it('has what it is given', () => {
    const { signal } = new AbortController();
    const run = { jobId: 'j', runId: 'r' };
    withCallContext({ priority: 'interactive', signal, run, retries: false }, context => {
      expect(callContext()).toBe(context);
      expect(context).toMatchObject({ priority: 'interactive', signal, run, retries: false });
      expect(context).not.toHaveProperty('fence');
    });
  });

  it('permits any number of calls in progress for its signal, without a warning', async () => {
    const warn = vi.spyOn(process, 'emitWarning');
    const { signal } = new AbortController();
    withCallContext({ priority: 'background', signal }, () => undefined);
    for (let call = 0; call < 20; call += 1) signal.addEventListener('abort', () => undefined);
    await setImmediate();
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it('counts the calls of all systems', () =>
    withCallContext({ priority: 'background' }, ({ calls }) => {
      expect(callsMade()).toBe(0);
      calls.set('crm', 2).set('directory', 3);
      expect(callsMade()).toBe(5);
    }));

  it('permits jobs longer waits than interactive callers', () =>
    expect(maxWaitMs).toEqual({ interactive: 10_000, background: 600_000 }));
});

describe('a fence', () => {
  it('is added to that of the context, and runs after it', async () => {
    const passed: string[] = [];
    const fenceNamed = (name: string) => async () => void passed.push(name);
    const context = { priority: 'interactive', fence: fenceNamed('outer') } as const;
    await withCallContext(context, outer =>
      withFence(fenceNamed('inner'), async () => {
        expect(callContext()).toMatchObject({ priority: 'interactive' });
        expect(callContext().calls).toBe(outer.calls);
        await callContext().fence?.();
      }),
    );
    expect(passed).toEqual(['outer', 'inner']);
  });

  it('may be the first', async () => {
    const fence = vi.fn(async () => undefined);
    await withFence(fence, async () => await callContext().fence?.());
    expect(fence).toHaveBeenCalledTimes(1);
  });
});

it('shared work has the counters of its first caller, and neither its signal, its fence nor its waits', () => {
  const { signal } = new AbortController();
  const context = { priority: 'interactive', signal, retries: true, fence: async () => undefined } as const;
  withCallContext(context, outer => {
    outer.waits.add({ reason: 'x' });
    withSharedContext(() => {
      const shared = callContext();
      expect(shared).toMatchObject({ priority: 'interactive', retries: false, waits: new Set() });
      expect(shared.signal).toBeUndefined();
      expect(shared).not.toHaveProperty('fence');
      expect(shared.calls).toBe(outer.calls);
    });
  });
});

describe('a wait', () => {
  it('is named until it ends', () =>
    withCallContext({ priority: 'background' }, async ({ waits }) => {
      const result = await waitingFor('the rate limit of the CRM', async () => {
        expect([...waits]).toEqual([{ reason: 'the rate limit of the CRM' }]);
        return 'done';
      });
      expect([result, waits.size]).toEqual(['done', 0]);
    }));

  it('is not named any more after it failed', () =>
    withCallContext({ priority: 'background' }, async ({ waits }) => {
      await expect(waitingFor('x', () => Promise.reject(new Error('stopped')))).rejects.toThrow('stopped');
      expect(waits.size).toBe(0);
    }));
});
