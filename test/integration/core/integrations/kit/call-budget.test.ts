/** The call budget that all processes share; each process here has its own pool. */
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCallBudgets, openRateGate } from '../../../../../core/integrations/kit/call-budget.ts';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { type Database, openDatabase } from '../../../../../core/postgres/client.ts';
import { createTestDatabase } from '../../../../support/test-database.ts';
import type { TestDatabase } from '../../../../support/test-postgres.ts';

const logger = pino({ level: 'silent' });
const system = { name: 'crm', title: 'The CRM' };

let testDatabase: TestDatabase;
let processes: Database[];

beforeAll(async () => {
  testDatabase = await createTestDatabase('call budget');
  processes = [1, 2].map(number =>
    openDatabase({ url: testDatabase.url, poolSize: 2, logger, applicationName: `test-${number}` }),
  );
});
afterAll(async () => {
  await Promise.all(processes.map(database => database.close()));
  await testDatabase.drop();
});

const turnstiles = (budget: { name: string; capacity: number; perSecond: number; reserve: number }) =>
  processes.map(database => openRateGate(system, budget, createCallBudgets(database)));

const background = <T>(work: () => T) => withCallContext({ priority: 'background' }, work);
const interactive = <T>(work: () => T) => withCallContext({ priority: 'interactive' }, work);

/** Time for these calls to pass, in ms, spread over the processes. */
async function timeToPass(calls: number, gates: ReturnType<typeof turnstiles>): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: calls }, (_, call) => gates[call % gates.length]?.wait()));
  return performance.now() - startedAt;
}

describe('a leaky bucket of 10 calls that drains 50 a second', () => {
  it('permits its capacity of calls over all processes at once, further calls at its rate', async () => {
    const gates = turnstiles({ name: 'pace', capacity: 10, perSecond: 50, reserve: 0 });
    const ms = await background(() => timeToPass(30, gates));
    // 20 calls beyond the capacity take 400 ms; never less.
    expect(ms).toBeGreaterThanOrEqual(380);
    expect(ms).toBeLessThan(3_000);
  });

  it('has a reserve for interactive callers while background work is at its limit', async () => {
    const gates = turnstiles({ name: 'reserve', capacity: 10, perSecond: 0.5, reserve: 4 });
    await background(() => timeToPass(6, gates));
    const passed: string[] = [];
    const working = background(() => timeToPass(1, gates)).then(() => passed.push('background'));
    await interactive(() => timeToPass(3, gates)).then(() => passed.push('interactive'));
    await working;
    expect(passed).toEqual(['interactive', 'background']);
  });

  it('blocks all processes during a pause that the system requested', async () => {
    const gates = turnstiles({ name: 'silence', capacity: 10, perSecond: 50, reserve: 0 });
    const startedAt = performance.now();
    await gates[0]?.block(300);
    await background(() => timeToPass(1, gates.slice(1)));
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(280);
  });

  it('returns an error with retryAfterSeconds to an interactive caller instead of a long wait', async () => {
    const gates = turnstiles({ name: 'patience', capacity: 1, perSecond: 0.01, reserve: 0 });
    await interactive(() => timeToPass(1, gates));
    await expect(interactive(() => timeToPass(1, gates))).rejects.toMatchObject({
      status: 503,
      code: 'upstream-unavailable',
      retryAfterSeconds: 100,
    });
  });

  it('starts empty again after its unused row was deleted', async () => {
    const gates = turnstiles({ name: 'unused', capacity: 1, perSecond: 0.01, reserve: 0 });
    await interactive(() => timeToPass(1, gates));
    await processes[0]?.execute(sql`delete from call_budget where name = 'unused'`);
    await interactive(() => timeToPass(1, gates));
    await expect(interactive(() => timeToPass(1, gates))).rejects.toMatchObject({ code: 'upstream-unavailable' });
  });

  it('is blocked for the longer of two pauses', async () => {
    const gates = turnstiles({ name: 'pauses', capacity: 10, perSecond: 50, reserve: 0 });
    await gates[0]?.block(30_000);
    await gates[1]?.block(10);
    await expect(interactive(() => timeToPass(1, gates))).rejects.toMatchObject({
      retryAfterSeconds: expect.toSatisfy(seconds => seconds > 20),
    });
  });

  it('ends the wait of a stopped job', async () => {
    const gates = turnstiles({ name: 'leave', capacity: 1, perSecond: 0.01, reserve: 0 });
    const stop = new AbortController();
    const waiting = withCallContext({ priority: 'background', signal: stop.signal }, () => timeToPass(2, gates));
    stop.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow();
  });
});
