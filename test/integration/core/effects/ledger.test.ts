/** The effects ledger: what must happen once in an outside system happens once, whatever breaks in between. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createEffects, type Effects } from '../../../../core/effects/ledger.ts';
import { effectTable } from '../../../../core/effects/schema.ts';
import { callContext, withCallContext } from '../../../../core/integrations/kit/call-context.ts';
import { UpstreamError } from '../../../../core/integrations/kit/upstream-error.ts';
import { type Database, openDatabase } from '../../../../core/postgres/client.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import { gate } from '../../../support/gate.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import type { TestDatabase } from '../../../support/test-postgres.ts';

const logger = pino({ level: 'silent' });

let testDatabase: TestDatabase;
let database: Database;
let effects: Effects;
/** The leads of a CRM, by their external key. */
let leads: Map<string, number>;
let key: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase('effects');
  database = openDatabase({ url: testDatabase.url, poolSize: 4, logger, applicationName: 'test' });
  effects = createEffects(database, logger, { settlingSeconds: 0 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
beforeEach(() => {
  leads = new Map();
  key = `lead:${randomUUID()}`;
});

const lost = (maybeExecuted: boolean) =>
  new UpstreamError('upstream-failed', 'The CRM broke off.', {
    system: 'crm',
    transient: true,
    maybeExecuted,
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
const create = (act = addLead) => effects.once({ ...newLead(), find: findLead, execute: act });

/** As a process that was killed leaves it: claimed, and the claim has run out. */
const expireClaim = () =>
  database
    .update(effectTable)
    .set({ leasedUntil: sql`now() - interval '1 second'` })
    .where(eq(effectTable.key, key));
const leaveClaimed = async (endedMsAgo = 1_000) => {
  await database.insert(effectTable).values({
    ...{ key, kind: 'lead-created', system: 'crm', state: 'claimed', leaseId: randomUUID() },
    leasedUntil: sql`now() - ${endedMsAgo} * interval '1 millisecond'`,
  });
};

describe('an effect', () => {
  it('happens at the first call and is answered with the same result at every other', async () => {
    expect(await create()).toEqual({ result: { id: 1 }, repeated: false });
    expect(await create()).toEqual({ result: { id: 1 }, repeated: true });
  });

  it('happens once when several ask for it at the same time', async () => {
    const answers = await Promise.all([create(), create(), create()]);
    expect(answers.map(({ result }) => result.id)).toEqual([1, 1, 1]);
    expect(answers.filter(({ repeated }) => !repeated)).toHaveLength(1);
  });

  it('is found at the outside system when its process was killed after the call', async () => {
    await leaveClaimed();
    await addLead();
    expect(await create()).toEqual({ result: { id: 1 }, repeated: true });
  });

  it('is done when its process was killed before the call', async () => {
    await leaveClaimed();
    expect(await create()).toEqual({ result: { id: 1 }, repeated: false });
  });

  it('is found when the answer was lost, without a second call', async () => {
    const dropped = async () => {
      await addLead();
      throw lost(true);
    };
    expect((await create(dropped)).result).toEqual({ id: 1 });
  });

  it('that surely did not run is free for the next try', async () => {
    await expect(create(() => Promise.reject(lost(false)))).rejects.toThrow('The CRM broke off.');
    expect(await create()).toEqual({ result: { id: 1 }, repeated: false });
  });

  it('that was refused is free for the next try', async () => {
    const refused = () => Promise.reject(new ServiceError('invalid-input', 'The phone is wrong.'));
    await expect(create(refused)).rejects.toThrow('The phone is wrong.');
    expect((await create()).repeated).toBe(false);
  });

  it('that may have run but is not to be found yet is looked for again by the next try', async () => {
    await expect(create(() => Promise.reject(lost(true)))).rejects.toThrow('The CRM broke off.');
    await addLead();
    expect(await create()).toEqual({ result: { id: 1 }, repeated: true });
  });

  it('waits for another that is at it', async () => {
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

it('an effect that an earlier run of the same job left claimed is taken over at once', async () => {
  const job = { jobId: 'event-orders_1', runId: randomUUID() };
  await database.insert(effectTable).values({
    ...{ key, kind: 'lead-created', system: 'crm', state: 'claimed', leaseId: randomUUID(), ...job },
    leasedUntil: sql`now() + interval '1 hour'`,
  });
  await addLead();
  const next = { priority: 'background', run: { ...job, runId: randomUUID() } } as const;
  expect(await withCallContext(next, () => create())).toEqual({ result: { id: 1 }, repeated: true });
});

describe('an effect that the outside system may still carry out when its process has died', () => {
  const settlingMs = 600;
  const patient = () => createEffects(database, logger, { settlingSeconds: settlingMs / 1_000 });
  const add = (act = addLead) => patient().once({ ...newLead(), find: findLead, execute: act });
  const atOnce = <T>(work: () => T) => withCallContext({ priority: 'interactive' }, work);

  it('is not repeated while it may still come, and found when it has come', async () => {
    await leaveClaimed(0);
    const comesLate = sleep(settlingMs / 2).then(() => leads.set(key, 7));
    expect(await add()).toEqual({ result: { id: 7 }, repeated: true });
    await comesLate;
  });

  it('is done when it can no longer come', async () => {
    const begun = performance.now();
    await expect(add(() => Promise.reject(lost(true)))).rejects.toThrow('The CRM broke off.');
    expect(await add()).toEqual({ result: { id: 1 }, repeated: false });
    expect(performance.now() - begun).toBeGreaterThan(settlingMs * 0.9);
  });

  it('is found at once when it is there', async () => {
    await expect(add(() => Promise.reject(lost(true)))).rejects.toThrow('The CRM broke off.');
    await addLead();
    const begun = performance.now();
    expect((await add()).repeated).toBe(true);
    expect(performance.now() - begun).toBeLessThan(settlingMs);
  });

  it('is repeated at once when the system has answered that it failed', async () => {
    const failed = new UpstreamError('upstream-failed', 'The CRM failed.', {
      ...{ system: 'crm', status: 500, transient: true, maybeExecuted: true },
    });
    await expect(add(() => Promise.reject(failed))).rejects.toThrow('The CRM failed.');
    const begun = performance.now();
    expect((await add()).repeated).toBe(false);
    expect(performance.now() - begun).toBeLessThan(settlingMs);
  });

  it('keeps nobody waiting who waits for an answer', async () => {
    await leaveClaimed(0);
    await expect(atOnce(() => add())).rejects.toMatchObject({ code: 'conflict', retryAfterSeconds: 1 });
    expect(leads.size).toBe(0);
    expect((await add()).repeated).toBe(false);
  });
});

it('a process that wakes up after others have taken its place sends nothing', async () => {
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
    await expireClaim();
    expect((await create()).result).toEqual({ id: 1 });
    open();
    await expect(frozen).rejects.toMatchObject({ code: 'conflict', transient: true });
  } finally {
    clock.mockRestore();
  }
  expect(leads.size).toBe(1);
});

describe('an effect that cannot be looked up, such as a text message', () => {
  const send = (act: () => Promise<{ id: number }>) => effects.once({ ...newLead(), execute: act });

  it('is not repeated when it is not known whether it happened', async () => {
    await expect(send(() => Promise.reject(lost(true)))).rejects.toThrow('The CRM broke off.');
    await expect(send(addLead)).rejects.toMatchObject({ code: 'conflict', transient: false });
    expect(leads.size).toBe(0);
  });

  it('is not repeated when its process was killed', async () => {
    await leaveClaimed();
    await expect(send(addLead)).rejects.toMatchObject({ code: 'conflict' });
    await expireClaim();
    await expect(send(addLead)).rejects.toMatchObject({ code: 'conflict' });
    expect(leads.size).toBe(0);
  });
});
