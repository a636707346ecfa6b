/** Additions to records of an outside system that adds whatever it is sent: none is there twice, whatever breaks in between. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inArray, sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEffects } from '../../../../core/effects/ledger.ts';
import { effectTable } from '../../../../core/effects/schema.ts';
import { callContext, withCallContext } from '../../../../core/integrations/kit/call-context.ts';
import { UpstreamError } from '../../../../core/integrations/kit/upstream-error.ts';
import { type Database, openDatabase } from '../../../../core/postgres/client.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import { gate } from '../../../support/gate.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import type { TestDatabase } from '../../../support/test-postgres.ts';

const logger = pino({ level: 'silent' });
/** How long what was sent may still take effect, in ms. */
const settlingMs = 600;

let testDatabase: TestDatabase;
let database: Database;
let keys: readonly [string, string];
/** The phones of each lead, as a CRM has them. */
let phones: Map<string, string[]>;

beforeAll(async () => {
  testDatabase = await createTestDatabase('additions');
  database = openDatabase({ url: testDatabase.url, poolSize: 6, logger, applicationName: 'test' });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
beforeEach(() => {
  keys = [`lead:${randomUUID()}`, `lead:${randomUUID()}`];
  phones = new Map(keys.map(key => [key, []]));
});

const phone = '+971550029101';
const take = (lacking: readonly string[]) => {
  for (const key of lacking) phones.get(key)?.push(phone);
};
const held = () => [...phones.values()].map(all => all.length);

const failed = (options: { status?: number; maybeExecuted?: boolean } = {}) =>
  new UpstreamError('upstream-failed', 'The CRM broke off.', {
    ...{ system: 'crm', transient: true, maybeExecuted: true },
    ...options,
  });

type Add = (lacking: readonly string[]) => Promise<void>;

const addTo = (wanted: readonly string[], add: Add = async lacking => take(lacking)) =>
  createEffects(database, logger, { settlingSeconds: settlingMs / 1_000 }).appendMissing({
    ...{ keys: wanted, kind: 'phones', system: 'crm' },
    findMissing: async () => {
      const lacking = wanted.filter(key => !phones.get(key)?.includes(phone));
      return lacking.length > 0 ? lacking : undefined;
    },
    append: add,
  });

const claims = () =>
  database
    .select({ key: effectTable.key })
    .from(effectTable)
    .where(inArray(effectTable.key, [...keys]));

const asRun = <T>(jobId: string, work: () => T) =>
  withCallContext({ priority: 'background', run: { jobId, runId: randomUUID() } }, work);

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Spoils the first call only. */
function once(spoilt: Add): Add {
  let calls = 0;
  return async lacking => {
    calls += 1;
    return calls === 1 ? spoilt(lacking) : take(lacking);
  };
}

describe('an addition', () => {
  it('is made where it lacks, and leaves the records free', async () => {
    phones.get(keys[0])?.push(phone);
    await addTo(keys);
    await addTo(keys);
    expect(held()).toEqual([1, 1]);
    expect(await claims()).toEqual([]);
  });

  it('is found when it took effect and the answer was lost', async () => {
    const add = once(async lacking => {
      take(lacking);
      throw failed();
    });
    expect(await timed(() => addTo(keys, add))).toBeLessThan(settlingMs);
    expect(held()).toEqual([1, 1]);
  });

  it('is waited for while it may still take effect', async () => {
    const add = once(async lacking => {
      void sleep(settlingMs / 2).then(() => take(lacking));
      throw failed();
    });
    await addTo(keys, add);
    expect(held()).toEqual([1, 1]);
  });

  it('is sent again when it can no longer take effect', async () => {
    expect(
      await timed(() =>
        addTo(
          keys,
          once(() => Promise.reject(failed())),
        ),
      ),
    ).toBeGreaterThan(settlingMs);
    expect(held()).toEqual([1, 1]);
  });

  it('is sent again soon when the system itself has answered that it failed', async () => {
    const add = once(() => Promise.reject(failed({ status: 500 })));
    expect(await timed(() => addTo(keys, add))).toBeLessThan(settlingMs);
    expect(held()).toEqual([1, 1]);
  });

  it.each([
    ['refused', new ServiceError('invalid-input', 'The phone is wrong.')],
    ['surely not carried out', failed({ maybeExecuted: false })],
  ])('that was %s is sent no more, and leaves the records free', async (_, error) => {
    await expect(addTo(keys, () => Promise.reject(error))).rejects.toBe(error);
    expect(await claims()).toEqual([]);
  });

  it('is made once by two at a time, in whatever order they name the records', async () => {
    const slowly: Add = async lacking => {
      await sleep(50);
      take(lacking);
    };
    await Promise.all([addTo(keys, slowly), addTo([...keys].reverse(), slowly), addTo([keys[1]], slowly)]);
    expect(held()).toEqual([1, 1]);
  });
});

describe('an addition whose process died', () => {
  /** As a run leaves it that was killed while its request was under way. */
  const leaveClaimed = (jobId: string, leftMs: number) =>
    database.insert(effectTable).values({
      ...{ key: keys[0], kind: 'phones', system: 'crm', state: 'claimed', leaseId: randomUUID() },
      ...{ jobId, runId: randomUUID() },
      leasedUntil: sql`now() + ${leftMs} * interval '1 millisecond'`,
    });

  it('is taken over by the next run of its job, which waits for what may still come', async () => {
    await leaveClaimed('job', 30_000);
    void sleep(settlingMs / 2).then(() => take([keys[0]]));
    expect(await timed(() => asRun('job', () => addTo(keys)))).toBeLessThan(5_000);
    expect(held()).toEqual([1, 1]);
  });

  it('is taken over by another job when its claim has ended', async () => {
    await leaveClaimed('job', 300);
    void sleep(300 + settlingMs / 2).then(() => take([keys[0]]));
    await asRun('another', () => addTo(keys));
    expect(held()).toEqual([1, 1]);
  });

  it('that its job gave up is waited for by whoever comes next, while it may still come', async () => {
    const stop = new AbortController();
    const lost = withCallContext({ priority: 'background', signal: stop.signal }, () =>
      addTo([keys[0]], async lacking => {
        void sleep(settlingMs / 2).then(() => take(lacking));
        stop.abort();
        throw failed();
      }),
    );
    await expect(lost).rejects.toThrow();
    await asRun('another', () => addTo(keys));
    expect(held()).toEqual([1, 1]);
  });
});

it('a process that wakes up after another has taken its place sends nothing', async () => {
  const { open, opened } = gate();
  const { open: reached, opened: isReached } = gate();
  const frozen = asRun('job', () =>
    addTo(keys, async lacking => {
      reached();
      await opened;
      await callContext().fence?.();
      take(lacking);
    }),
  );
  await isReached;
  await asRun('job', () => addTo(keys));
  open();
  await expect(frozen).rejects.toMatchObject({ code: 'conflict', transient: true });
  expect(held()).toEqual([1, 1]);
  expect(await claims()).toEqual([]);
});
