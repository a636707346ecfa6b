/** The effects ledger: an effect happens once in a vendor system, also after failures. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createEffects } from '../../../../core/effects/ledger.ts';
import { effectTable } from '../../../../core/effects/schema.ts';
import { callContext, withCallContext } from '../../../../core/integrations/kit/call-context.ts';
import { UpstreamError } from '../../../../core/integrations/kit/upstream-error.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import { gate } from '../../../support/gate.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const logger = pino({ level: 'silent' });

const { database } = await useTestDatabase('effects');
const effects = createEffects(database, logger, { settlingSeconds: 0 });
/** The leads of the simulated CRM by external key. */
let leads: Map<string, number>;
let key: string;

beforeEach(() => {
  leads = new Map();
  key = `lead:${randomUUID()}`;
});

const lost = (maybeExecuted: boolean) =>
  new UpstreamError('upstream-failed', 'The CRM broke off.', {
    kind: maybeExecuted ? 'no-answer' : 'unreachable',
    system: 'crm',
  });

async function addLead(): Promise<{ id: number }> {
  if (leads.has(key)) throw new Error('a second lead');
  leads.set(key, leads.size + 1);
  return { id: leads.size };
}
async function findLead(): Promise<{ id: number } | undefined> {
  const id = leads.get(key);
  return id === undefined ? undefined : { id };
}

const newLead = () => ({ key, kind: 'lead-created', system: 'crm', result: z.object({ id: z.int() }) });
const create = (execute = addLead) => effects.once({ ...newLead(), find: findLead, execute });

/** The state after a process was killed and its lease has ended. */
const expireLease = () =>
  database.update(effectTable).set({ leasedUntil: sql`now() - interval '1 second'` }).where(eq(effectTable.key, key));
const leaveLeased = async (endedMsAgo = 1_000) => {
  await database.insert(effectTable).values({
    key,
    kind: 'lead-created',
    system: 'crm',
    state: 'claimed',
    leaseId: randomUUID(),
    leasedUntil: sql`now() - ${endedMsAgo} * interval '1 millisecond'`,
  });
};

describe('effects of one request', () => {
  const effectOf = (each: string) => ({ ...newLead(), key: `${key}:${each}` });
  const createAll = (
    each: readonly string[],
    execute: (keys: ReadonlySet<string>) => Promise<Map<string, Execution>>,
  ) => effects.onceEach(each.map(effectOf), execute);
  type Execution = { value: { id: number } } | { error: unknown };

  it('are executed together, without those that have happened before', async () => {
    const requests: string[][] = [];
    const execute = async (keys: ReadonlySet<string>) => {
      requests.push([...keys]);
      return new Map([...keys].map(one => [one, { value: { id: requests.length } }]));
    };
    const first = { result: { id: 1 }, repeated: false };
    expect(await createAll(['a', 'b'], execute)).toEqual([first, first]);
    const repeated = { result: { id: 1 }, repeated: true };
    expect(await createAll(['a', 'c', 'b'], execute)).toEqual([repeated, { ...first, result: { id: 2 } }, repeated]);
    expect(await createAll(['a'], execute)).toEqual([repeated]);
    expect(requests).toEqual([[`${key}:a`, `${key}:b`], [`${key}:c`]]);
  });

  it('end each for itself', async () => {
    const error = lost(false);
    const partly = async () =>
      new Map<string, Execution>([
        [`${key}:a`, { value: { id: 1 } }],
        [`${key}:b`, { error }],
      ]);
    const unknown = { error: new Error(`nothing is known about the effect ${key}:c`) };
    expect(await createAll(['a', 'b', 'c'], partly)).toEqual([
      { result: { id: 1 }, repeated: false },
      { error },
      unknown,
    ]);
    const rest = async (keys: ReadonlySet<string>) => new Map([...keys].map(one => [one, { value: { id: 2 } }]));
    expect(await createAll(['a', 'b'], rest)).toMatchObject([
      { repeated: true },
      { result: { id: 2 }, repeated: false },
    ]);
  });

  it('fail together when the request fails, and are executed by the next attempt', async () => {
    const error = lost(false);
    expect(await createAll(['a', 'b'], () => Promise.reject(error))).toEqual([{ error }, { error }]);
    const execute = async (keys: ReadonlySet<string>) => new Map([...keys].map(one => [one, { value: { id: 3 } }]));
    expect(await createAll(['a', 'b'], execute)).toMatchObject([{ repeated: false }, { repeated: false }]);
  });
});

describe('an effect', () => {
  it('is executed at the first call; further calls return the same result', async () => {
    expect(await create()).toEqual({ result: { id: 1 }, repeated: false });
    expect(await create()).toEqual({ result: { id: 1 }, repeated: true });
  });

  it('is executed once by concurrent calls', async () => {
    const answers = await Promise.all([create(), create(), create()]);
    expect(answers.map(({ result }) => result.id)).toEqual([1, 1, 1]);
    expect(answers.filter(({ repeated }) => !repeated)).toHaveLength(1);
  });

  it('is found in the vendor system when its process was killed after the call', async () => {
    await leaveLeased();
    await addLead();
    expect(await create()).toEqual({ result: { id: 1 }, repeated: true });
  });

  it('is executed when its process was killed before the call', async () => {
    await leaveLeased();
    expect(await create()).toEqual({ result: { id: 1 }, repeated: false });
  });

  it('is found without a second call when the answer was lost', async () => {
    const dropped = async () => {
      await addLead();
      throw lost(true);
    };
    expect((await create(dropped)).result).toEqual({ id: 1 });
  });

  it('that was definitely not executed can be executed by the next attempt', async () => {
    await expect(create(() => Promise.reject(lost(false)))).rejects.toThrow('The CRM broke off.');
    expect(await create()).toEqual({ result: { id: 1 }, repeated: false });
  });

  it('that was rejected can be executed by the next attempt', async () => {
    const rejected = () => Promise.reject(new ServiceError('invalid-input', 'The phone is wrong.'));
    await expect(create(rejected)).rejects.toThrow('The phone is wrong.');
    expect((await create()).repeated).toBe(false);
  });

  it('that may have been executed and is not found yet is looked up again by the next attempt', async () => {
    await expect(create(() => Promise.reject(lost(true)))).rejects.toThrow('The CRM broke off.');
    await addLead();
    expect(await create()).toEqual({ result: { id: 1 }, repeated: true });
  });

  it('keeps its first error when the lookup after a lost answer fails as well', async () => {
    const find = () => Promise.reject(new Error('The lookup failed.'));
    const lose = () => Promise.reject(lost(true));
    await expect(effects.once({ ...newLead(), find, execute: lose })).rejects.toThrow('The CRM broke off.');
    await addLead();
    expect(await create()).toEqual({ result: { id: 1 }, repeated: true });
  });

  it('that was definitely not executed is not looked up', async () => {
    const find = vi.fn(findLead);
    const reject = () => Promise.reject(lost(false));
    await expect(effects.once({ ...newLead(), find, execute: reject })).rejects.toThrow('The CRM broke off.');
    expect(find).not.toHaveBeenCalled();
  });

  it('waits while another call executes it', async () => {
    const { open, opened } = gate();
    const first = create(async () => {
      await opened;
      return addLead();
    });
    const second = create();
    open();
    expect((await Promise.all([first, second])).map(({ result }) => result.id)).toEqual([1, 1]);
  });
});

it('the lease of an earlier run of the same job is taken over at once', async () => {
  const job = { jobId: 'event-orders_1', runId: randomUUID() };
  await database.insert(effectTable).values({
    key,
    kind: 'lead-created',
    system: 'crm',
    state: 'claimed',
    leaseId: randomUUID(),
    ...job,
    leasedUntil: sql`now() + interval '1 hour'`,
  });
  await addLead();
  const next = { priority: 'background', run: { ...job, runId: randomUUID() } } as const;
  expect(await withCallContext(next, () => create())).toEqual({ result: { id: 1 }, repeated: true });
});

describe('an effect that the vendor may still execute after its process died', () => {
  const settlingMs = 600;
  const patient = (settlingSeconds = settlingMs / 1_000) => createEffects(database, logger, { settlingSeconds });
  const add = (execute = addLead, by = patient()) => by.once({ ...newLead(), find: findLead, execute });
  /** Waits longer than the test may take. */
  const slow = () => patient(60);
  const interactively = <T>(work: () => T) => withCallContext({ priority: 'interactive' }, work);

  it('is not repeated while it may still be executed, and is found afterwards', async () => {
    await leaveLeased(0);
    const comesLate = sleep(settlingMs / 2).then(() => leads.set(key, 7));
    const startedAt = performance.now();
    expect(await add()).toEqual({ result: { id: 7 }, repeated: true });
    await comesLate;
    // It looks again when the settling time is over, which is sooner than the usual 5 s.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  it('is executed at once when the settling time had passed before', async () => {
    await leaveLeased(settlingMs);
    const find = vi.fn(findLead);
    const execute = vi.fn(addLead);
    await patient().once({ ...newLead(), find, execute });
    expect(find).toHaveBeenCalledTimes(1);
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('is looked up at once by the next attempt after the wait for it was cancelled', async () => {
    await leaveLeased(0);
    const find = vi.fn(findLead);
    const attempt = () => slow().once({ ...newLead(), find, execute: addLead });
    const stop = new AbortController();
    const cancelled = withCallContext({ priority: 'background', signal: stop.signal }, attempt);
    const rejected = expect(cancelled).rejects.toThrow('aborted');
    await expect.poll(() => find.mock.calls.length).toBe(1);
    stop.abort();
    await rejected;
    const startedAt = performance.now();
    await expect(interactively(attempt)).rejects.toMatchObject({
      message: expect.stringMatching(/still carry it out for [56]\d s/),
      retryAfterSeconds: 5,
    });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(find).toHaveBeenCalledTimes(2);
  });

  it('is executed when the earlier request can no longer be executed', async () => {
    const startedAt = performance.now();
    await expect(add(() => Promise.reject(lost(true)))).rejects.toThrow('The CRM broke off.');
    expect(await add()).toEqual({ result: { id: 1 }, repeated: false });
    expect(performance.now() - startedAt).toBeGreaterThan(settlingMs * 0.9);
  });

  it('is found at once when it was executed', async () => {
    await expect(add(() => Promise.reject(lost(true)), slow())).rejects.toThrow('The CRM broke off.');
    await addLead();
    expect((await add(addLead, slow())).repeated).toBe(true);
  });

  it('is repeated at once when the system itself answered that it failed', async () => {
    const failed = new UpstreamError('upstream-failed', 'The CRM failed.', {
      kind: 'failing',
      system: 'crm',
      status: 500,
    });
    await expect(add(() => Promise.reject(failed), slow())).rejects.toThrow('The CRM failed.');
    expect((await add(addLead, slow())).repeated).toBe(false);
  });

  it('returns 503 with its state to an interactive caller instead of waiting', async () => {
    await leaveLeased(0);
    await expect(interactively(() => add())).rejects.toMatchObject({
      code: 'effect-pending',
      status: 503,
      message: expect.stringMatching(/lead-created.*system crm .*still carry it out for 1 s/s),
      retryAfterSeconds: 1,
    });
    expect(leads.size).toBe(0);
    const startedAt = performance.now();
    expect((await add()).repeated).toBe(false);
    // It does not wait for the end of a lease that the first caller no longer needs.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

it('a process that continues after another has taken its lease over sends nothing', async () => {
  const { open, opened } = gate();
  const { open: reached, opened: isReached } = gate();
  const frozen = create(async () => {
    reached();
    await opened;
    await callContext().fence?.();
    return addLead();
  });
  await isReached;
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  try {
    await expireLease();
    expect((await create()).result).toEqual({ id: 1 });
    open();
    await expect(frozen).rejects.toMatchObject({ code: 'effect-pending', transient: true });
  } finally {
    clock.mockRestore();
  }
  expect(leads.size).toBe(1);
});

describe('an effect without a lookup, such as a text message', () => {
  const send = (execute: () => Promise<{ id: number }>) => effects.once({ ...newLead(), execute });

  it('is not repeated when its outcome is unknown', async () => {
    await expect(send(() => Promise.reject(lost(true)))).rejects.toThrow('The CRM broke off.');
    const startedAt = performance.now();
    await expect(send(addLead)).rejects.toMatchObject({ code: 'conflict', transient: false });
    // At once, not after the end of a lease.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(leads.size).toBe(0);
  });

  it('is not repeated when its process was killed', async () => {
    await leaveLeased();
    await expect(send(addLead)).rejects.toMatchObject({ code: 'conflict' });
    await expireLease();
    await expect(send(addLead)).rejects.toMatchObject({ code: 'conflict' });
    expect(leads.size).toBe(0);
  });
});
