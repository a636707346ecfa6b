/** Outages of vendor systems: calls and token requests fail, and the systems recover without a restart. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import directorySystem from '../../../../../core/integrations/directory/system.ts';
import type { CallBudgets } from '../../../../../core/integrations/kit/call-budget.ts';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { openIntegrationContext } from '../../../../../core/integrations/kit/context.ts';
import listingPortalSystem from '../../../../../core/integrations/listing-portal/system.ts';
import smsGatewaySystem from '../../../../../core/integrations/sms-gateway/system.ts';
import { useSandbox } from '../../../../support/sandbox.ts';

const sandbox = useSandbox();

afterEach(async () => {
  for (const system of ['listing-portal', 'telephony', 'directory']) await sandbox.control.reset(system);
});

const unlimited: CallBudgets = { take: async () => undefined, block: async () => {} };

const openContext = (budgets = unlimited) =>
  openIntegrationContext({
    env: {},
    sandboxUrl: sandbox.url,
    budgets,
    logger: pino({ level: 'silent' }),
    circuitPauses: { firstMs: 50, maxMs: 100 },
  });

const interactive = <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
  withCallContext({ priority: 'interactive', signal }, work);

interface TokenSystem {
  name: string;
  sandboxName: string;
  /** Returns one call of the system. */
  open(context?: ReturnType<typeof openContext>): () => Promise<unknown>;
  callPath: string;
  tokenPath: string;
}

const tokenSystems: TokenSystem[] = [
  {
    name: 'listing-portal',
    sandboxName: 'listing-portal',
    open: (context = openContext()) => {
      const portal = listingPortalSystem.client(context);
      return () => portal.searchLocations({ term: 'Dubai', perPage: 1 });
    },
    callPath: '/v1/locations',
    tokenPath: '/v1/auth/token',
  },
  {
    name: 'sms-gateway',
    sandboxName: 'telephony',
    open: (context = openContext()) => smsGatewaySystem.client(context).balance,
    callPath: '/account/balance',
    tokenPath: '/login/user/',
  },
];

const outcomeOf = (call: () => Promise<unknown>): Promise<'answered' | 'failed'> =>
  interactive(call).then(
    () => 'answered',
    () => 'failed',
  );

/** Repeats the call until the system answers again. */
const recovers = (call: () => Promise<unknown>) =>
  expect.poll(() => outcomeOf(call), { interval: 20 }).toBe('answered');

describe.each(tokenSystems)('$name', ({ name, sandboxName, open, callPath, tokenPath }) => {
  it('answers again after an outage of everything', async () => {
    const context = openContext();
    const call = open(context);
    await sandbox.control.fault(sandboxName, { fault: 'error-500', times: 12 });
    for (let request = 0; request < 3; request += 1) expect(await outcomeOf(call)).toBe('failed');
    expect(context.circuitOf(name)).toBe('open');
    await recovers(call);
    expect(context.circuitOf(name)).toBe('closed');
  });

  it('answers again after its token was rejected while no other was issued', async () => {
    const call = open();
    await interactive(call);
    await sandbox.control.fault(sandboxName, { fault: 'unauthorized', path: callPath });
    await sandbox.control.fault(sandboxName, { fault: 'error-500', path: tokenPath, times: 8 });
    expect(await outcomeOf(call)).toBe('failed');
    await recovers(call);
  });

  it('answers concurrent calls after an outage, with one token for all', async () => {
    const context = openContext();
    const call = open(context);
    await sandbox.control.fault(sandboxName, { fault: 'error-500', times: 6 });
    for (let request = 0; request < 2; request += 1) await outcomeOf(call);
    await sleep(60);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => outcomeOf(call)));
    expect(outcomes).toEqual(Array(8).fill('answered'));
    const { requests } = await sandbox.control.requests(sandboxName);
    const answered = requests.filter(({ status }) => status === 200);
    expect(answered.filter(({ path }) => path.endsWith(tokenPath))).toHaveLength(1);
  });

  it('issues a token for all callers although the first caller is cancelled', async () => {
    const call = open();
    await sandbox.control.fault(sandboxName, { fault: 'slow', path: tokenPath, delayMs: 300 });
    const stop = new AbortController();
    const cancelled = interactive(call, stop.signal);
    const other = interactive(call);
    stop.abort(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');
    await other;
  });
});

it('an SMS for which no token is issued was definitely not sent', async () => {
  const gateway = smsGatewaySystem.client(openContext());
  await sandbox.control.fault('telephony', { fault: 'error-500', path: '/login/', times: 3 });
  const sms = { id: 'sms-1', to: '+971501234567', text: 'Hello', sender: 'PORTAL' };
  await expect(interactive(() => gateway.send(sms))).rejects.toMatchObject({
    maybeExecuted: false,
    failure: { status: 500 },
  });
});

it('a call that waits for the rate limit does not delay the calls that wait for the circuit', async () => {
  let limited = false;
  let waits = 0;
  const take: CallBudgets['take'] = async ({ name }) => {
    if (!limited || name !== 'listing-portal') return undefined;
    waits += 1;
    return { waitMs: 60_000 };
  };
  const portal = listingPortalSystem.client(openContext({ ...unlimited, take }));
  const search = () => portal.searchLocations({ term: 'Dubai', perPage: 1 });
  await sandbox.control.fault('listing-portal', { fault: 'error-500', times: 6 });
  for (let request = 0; request < 2; request += 1) await outcomeOf(search);
  await sleep(60);
  limited = true;
  const stop = new AbortController();
  const waiting = withCallContext({ priority: 'background', signal: stop.signal }, search);
  await expect.poll(() => waits).toBe(1);
  limited = false;
  await recovers(search);
  stop.abort(new Error('stopped'));
  await waiting.catch(() => undefined);
});

describe('an HTML page with status 404', () => {
  it('is "not found" for lookups and does not open the circuit', async () => {
    const context = openContext();
    const directory = directorySystem.client(context);
    await sandbox.control.fault('directory', { fault: 'html-404', times: 8 });
    for (let lookup = 0; lookup < 8; lookup += 1)
      expect(await interactive(() => directory.user('5f00efc2966f0faecc3be694'))).toBeUndefined();
    expect(context.circuitOf('directory')).toBe('closed');
  });

  it('is an error for lists, sent once', async () => {
    const context = openContext();
    await sandbox.control.fault('directory', { fault: 'html-404', times: 1 });
    const listed = interactive(() => directorySystem.client(context).groups());
    await expect(listed).rejects.toMatchObject({ code: 'upstream-failed', transient: false });
    expect((await sandbox.control.requests('directory')).total).toBe(1);
  });
});
