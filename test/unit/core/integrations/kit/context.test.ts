/** What the connectors of a process share: circuits, sources, and calls of systems without HTTP. */
import { expect, it, vi } from 'vitest';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { UpstreamError } from '../../../../../core/integrations/kit/upstream-error.ts';
import { outsideCallSeconds } from '../../../../../core/telemetry/meter.ts';
import { once, vendorContext } from '../../../../support/vendor.ts';

const bot = { name: 'bot', title: 'The bot' };
const down = new UpstreamError('upstream-failed', 'x', { kind: 'failing', system: 'bot', retryAfterMs: 0 });

it('a system is configured, served by the sandbox, or absent', () => {
  const context = vendorContext({ BOT_URL: 'x' }, { sandboxUrl: 'http://127.0.0.1:9100' });
  expect([context.sourceOf('BOT_URL'), context.sourceOf('OTHER_URL')]).toEqual(['configured', 'sandbox']);
  expect(vendorContext({}).sourceOf('BOT_URL')).toBe('none');
  expect(context.sandboxUrl('bot')).toBe('http://127.0.0.1:9100/bot');
  expect([context.tools(bot, 'sandbox').sandbox, context.tools(bot, 'configured').sandbox]).toEqual([true, false]);
});

it('the environment is that of the process by default', () =>
  expect(vendorContext({ A: '1' }).env).toEqual({ A: '1' }));

it('a circuit is shared by all clients of a system', async () => {
  const context = vendorContext({});
  expect(context.circuitOf('bot')).toBeUndefined();
  for (let call = 0; call < 6; call += 1) {
    const { attempt } = context.tools(bot, 'configured');
    await once(() => attempt('read', () => Promise.reject(down))).catch(() => undefined);
  }
  expect(context.circuitOf('bot')).toBe('open');
  context.tools({ name: 'other', title: 'Other' }, 'configured');
  expect(context.circuitOf('other')).toBe('closed');
});

it('an attempt of a system without HTTP is counted, and repeated as its class permits', async () => {
  const { attempt } = vendorContext({}).tools(bot, 'configured');
  await withCallContext({ priority: 'interactive' }, async ({ calls, sandboxes }) => {
    const send = vi.fn().mockRejectedValueOnce(down).mockResolvedValue('done');
    expect(await attempt('read', send)).toBe('done');
    expect([calls.get('bot'), sandboxes.size]).toEqual([2, 0]);
    await expect(attempt('create', () => Promise.reject(down))).rejects.toMatchObject({
      failure: { call: { operation: 'create' } },
    });
    expect(calls.get('bot')).toBe(3);
  });
});

it('an attempt that the sandbox answered names it', async () => {
  const { attempt } = vendorContext({}).tools(bot, 'sandbox', 'telephony');
  await withCallContext({ priority: 'interactive' }, async ({ sandboxes }) => {
    await attempt('read', async () => 'done');
    expect([...sandboxes]).toEqual(['telephony']);
  });
});

it('an attempt is measured by system and class', async () => {
  await vendorContext({})
    .tools({ name: 'measured', title: 'x' }, 'configured')
    .attempt('set', async () => 'done');
  const { values } = await outsideCallSeconds.get();
  expect(values.map(({ labels }) => labels)).toContainEqual(
    expect.objectContaining({ system: 'measured', method: 'set', status: 'ok' }),
  );
});
