/** Appends to records of a vendor system whose requests append each time: no data is appended twice after failures. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inArray, sql } from 'drizzle-orm';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { createEffects } from '../../../../core/effects/ledger.ts';
import { effectTable } from '../../../../core/effects/schema.ts';
import { callContext, withCallContext } from '../../../../core/integrations/kit/call-context.ts';
import { UpstreamError, type UpstreamFailure } from '../../../../core/integrations/kit/upstream-error.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import { gate } from '../../../support/gate.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const logger = pino({ level: 'silent' });
/** How long a request may still be executed after its lease, in ms. */
const settlingMs = 600;
/** The same for tests of what does not wait: longer than a test may take. */
const longSettlingMs = 60_000;

const { database } = await useTestDatabase('append_missing', 6);
let keys: readonly [string, string];
/** The phones of each lead in the simulated CRM. */
let phones: Map<string, string[]>;

beforeEach(() => {
  keys = [`lead:${randomUUID()}`, `lead:${randomUUID()}`];
  phones = new Map(keys.map(key => [key, []]));
});

const phone = '+971550029101';
const take = (missing: readonly string[]) => {
  for (const key of missing) phones.get(key)?.push(phone);
};
/** The CRM executes the request after its connection broke. */
const executeLate = (ms: number, missing: readonly string[]) => sleep(ms).then(() => take(missing));
const counts = () => [...phones.values()].map(all => all.length);

const failed = (options: Partial<UpstreamFailure> = {}) =>
  new UpstreamError('upstream-failed', 'The CRM broke off.', { kind: 'no-answer', system: 'crm', ...options });

type Append = (missing: readonly string[]) => Promise<void>;

const appendTo = (wanted: readonly string[], append: Append = async missing => take(missing), settling = settlingMs) =>
  createEffects(database, logger, { settlingSeconds: settling / 1_000 }).appendMissing({
    keys: wanted,
    kind: 'phones',
    system: 'crm',
    findMissing: async () => {
      const missing = wanted.filter(key => !phones.get(key)?.includes(phone));
      return missing.length > 0 ? missing : undefined;
    },
    append,
  });

const leases = () =>
  database
    .select({ key: effectTable.key })
    .from(effectTable)
    .where(inArray(effectTable.key, [...keys]));

const asRun = <T>(jobId: string, work: () => T) =>
  withCallContext({ priority: 'background', run: { jobId, runId: randomUUID() } }, work);

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Fails the first call only. */
function once(failing: Append): Append {
  let calls = 0;
  return async missing => {
    calls += 1;
    return calls === 1 ? failing(missing) : take(missing);
  };
}

describe('appendMissing', () => {
  it('appends what is missing, and releases the records', async () => {
    phones.get(keys[0])?.push(phone);
    await appendTo(keys);
    await appendTo(keys);
    expect(counts()).toEqual([1, 1]);
    expect(await leases()).toEqual([]);
  });

  it('finds the data when the request was executed and the answer was lost', async () => {
    const append = once(async missing => {
      take(missing);
      throw failed();
    });
    await appendTo(keys, append, longSettlingMs);
    expect(counts()).toEqual([1, 1]);
  });

  it('waits while a failed request may still be executed', async () => {
    let executed: Promise<void> | undefined;
    const append = once(async missing => {
      executed = executeLate(settlingMs / 2, missing);
      throw failed();
    });
    await appendTo(keys, append);
    await executed;
    expect(counts()).toEqual([1, 1]);
  });

  it('sends again when the failed request can no longer be executed', async () => {
    expect(
      await timed(() =>
        appendTo(
          keys,
          once(() => Promise.reject(failed())),
        ),
      ),
    ).toBeGreaterThan(settlingMs);
    expect(counts()).toEqual([1, 1]);
  });

  it('sends again without waiting when the system itself answered that it failed', async () => {
    const append = once(() => Promise.reject(failed({ kind: 'failing', status: 500 })));
    await appendTo(keys, append, longSettlingMs);
    expect(counts()).toEqual([1, 1]);
  });

  it.each([
    ['background', 7],
    ['interactive', 3],
  ] as const)('gives up after %s work has sent %i requests, with the last failure', async (priority, most) => {
    let sent = 0;
    const append = async () => {
      sent += 1;
      throw new UpstreamError('upstream-failed', `Request ${sent} failed.`, {
        kind: 'failing',
        system: 'crm',
        status: 500,
        retryAfterMs: 0,
      });
    };
    await expect(withCallContext({ priority }, () => appendTo(keys, append))).rejects.toThrow(
      `Request ${most} failed.`,
    );
    expect(sent).toBe(most);
    expect(await leases()).toEqual([]);
  });

  it.each([
    ['rejected', new ServiceError('invalid-input', 'The phone is wrong.')],
    ['definitely not executed', failed({ kind: 'unreachable' })],
  ])('does not send again what was %s, and releases the records', async (_, error) => {
    await expect(appendTo(keys, () => Promise.reject(error))).rejects.toBe(error);
    expect(await leases()).toEqual([]);
  });

  it('appends once when concurrent requests name the records in different orders', async () => {
    const slowly: Append = async missing => {
      await sleep(50);
      take(missing);
    };
    await Promise.all([appendTo(keys, slowly), appendTo([...keys].reverse(), slowly), appendTo([keys[1]], slowly)]);
    expect(counts()).toEqual([1, 1]);
  });
});

describe('appendMissing after its process died', () => {
  /** The state after a run was killed during its request. */
  const leaveLeased = (jobId: string, leftMs: number) =>
    database.insert(effectTable).values({
      key: keys[0],
      kind: 'phones',
      system: 'crm',
      state: 'claimed',
      leaseId: randomUUID(),
      jobId,
      runId: randomUUID(),
      leasedUntil: sql`now() + ${leftMs} * interval '1 millisecond'`,
    });

  it('the next run of the job takes the lease over and waits while the request may still be executed', async () => {
    await leaveLeased('job', 30_000);
    const executed = executeLate(settlingMs / 2, [keys[0]]);
    expect(await timed(() => asRun('job', () => appendTo(keys)))).toBeLessThan(5_000);
    await executed;
    expect(counts()).toEqual([1, 1]);
  });

  it('another job takes the lease over after its end', async () => {
    await leaveLeased('job', 300);
    const executed = executeLate(300 + settlingMs / 2, [keys[0]]);
    await asRun('another', () => appendTo(keys));
    await executed;
    expect(counts()).toEqual([1, 1]);
  });

  it('the next holder waits while the request of a cancelled job may still be executed', async () => {
    const stop = new AbortController();
    let executed: Promise<void> | undefined;
    const lost = withCallContext({ priority: 'background', signal: stop.signal }, () =>
      appendTo([keys[0]], async missing => {
        executed = executeLate(settlingMs / 2, missing);
        stop.abort();
        throw failed();
      }),
    );
    await expect(lost).rejects.toThrow();
    expect(await timed(() => asRun('another', () => appendTo(keys)))).toBeLessThan(5_000);
    await executed;
    expect(counts()).toEqual([1, 1]);
  });

  it('the next holder sends at once when the request can no longer be executed', async () => {
    await leaveLeased('job', -longSettlingMs);
    await asRun('another', () => appendTo(keys, undefined, longSettlingMs));
    expect(counts()).toEqual([1, 1]);
  });
});

it('a process that continues after another has taken its lease over sends nothing', async () => {
  const { open, opened } = gate();
  const { open: reached, opened: isReached } = gate();
  const frozen = asRun('job', () =>
    appendTo(keys, async missing => {
      reached();
      await opened;
      await callContext().fence?.();
      take(missing);
    }),
  );
  await isReached;
  await asRun('job', () => appendTo(keys));
  open();
  await expect(frozen).rejects.toMatchObject({ code: 'effect-pending', transient: true });
  expect(counts()).toEqual([1, 1]);
  expect(await leases()).toEqual([]);
});
