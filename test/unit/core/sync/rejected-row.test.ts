/** A run continues after a row that the outside system rejects, and stops after failures that affect all rows. */
import { describe, expect, it, vi } from 'vitest';
import { UpstreamError } from '../../../../core/integrations/kit/upstream-error.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import { unlessRejected } from '../../../../core/sync/rejected-row.ts';
import { startReport } from '../../../../core/sync/report.ts';

const failed = (status: number, transient = false) =>
  new UpstreamError('upstream-failed', 'The CRM rejected the call.', {
    kind: transient ? 'unreachable' : 'rejected',
    system: 'crm',
    status,
  });

function run(
  work: () => Promise<unknown>,
  options: { signal?: AbortSignal; onRejected?: (error: ServiceError) => Promise<void> } = {},
) {
  const { signal = new AbortController().signal, onRejected } = options;
  const report = startReport({ dryRun: false });
  const outcome = unlessRejected('7', { signal, report }, work, onRejected);
  return { outcome, rows: () => report.finish(0) };
}

it('a row that succeeds is not reported', async () => {
  const { outcome, rows } = run(async () => 'done');
  expect(await outcome).toBe(true);
  expect(rows()).toMatchObject({ failed: 0, rows: [] });
});

describe('a rejected row', () => {
  it('is reported with the reason and the pointers of its faults, without their details', async () => {
    const faults = [
      { pointer: '/email', detail: 'sara@x.example is taken' },
      { pointer: '', detail: 'is wrong' },
    ];
    const { outcome, rows } = run(() => Promise.reject(new ServiceError('conflict', 'It exists.', { faults })));
    expect(await outcome).toBe(false);
    expect(rows()).toMatchObject({ failed: 1, rows: [{ key: '7', outcome: 'failed', reason: 'It exists. /email' }] });
  });

  it.each([failed(400), failed(403), new ServiceError('invalid-input', 'No title.')])('may be %s', async error => {
    const onRejected = vi.fn(async () => undefined);
    expect(await run(() => Promise.reject(error), { onRejected }).outcome).toBe(false);
    expect(onRejected.mock.calls).toEqual([[error]]);
  });

  it('is reported after it was cleaned up', async () => {
    const { outcome, rows } = run(() => Promise.reject(failed(400)), {
      onRejected: () => Promise.reject(new Error('not cleaned up')),
    });
    await expect(outcome).rejects.toThrow('not cleaned up');
    expect(rows()).toMatchObject({ failed: 0 });
  });
});

describe('the run stops', () => {
  it.each([
    ['a transient failure', failed(500, true)],
    ['rejected credentials', failed(401)],
    ['an error of our own', new TypeError('undefined is not a function')],
  ])('after %s', async (_, error) => {
    const onRejected = vi.fn(async () => undefined);
    const { outcome, rows } = run(() => Promise.reject(error), { onRejected });
    await expect(outcome).rejects.toBe(error);
    expect(onRejected).not.toHaveBeenCalled();
    expect(rows()).toMatchObject({ failed: 0, rows: [] });
  });

  it('when it was cancelled meanwhile, with the reason', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(run(() => Promise.reject(failed(400)), { signal }).outcome).rejects.toThrow('cancelled');
  });
});
