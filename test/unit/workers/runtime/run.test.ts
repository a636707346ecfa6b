/** The fence of a run: what it sends outside waits until the job is surely its own. */
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { Run } from '../../../../workers/runtime/run.ts';

type Look = () => Promise<{ claimed: boolean; cancelRequested: boolean }>;
const ours: Look = async () => ({ claimed: true, cancelRequested: false });
const theirs: Look = async () => ({ claimed: false, cancelRequested: false });
const away: Look = async () => {
  throw new Error('the database is away');
};

let run: Run;
let looks = 0;
afterEach(() => run.close());

/** A run whose looks at its row are answered with these, the last one again and again. */
function beginRun(patienceMs: number, answers: Look[]): void {
  looks = 0;
  const records = {
    saveProgress: async () => {
      looks += 1;
      return await (answers[Math.min(looks, answers.length) - 1] ?? ours)();
    },
    checkpoint: async () => undefined,
    saveCheckpoint: async () => true,
    confirmClaim: async () => true,
  };
  run = new Run('trial_1', { timeoutMs: 60_000, patienceMs }, records, pino({ level: 'silent' }));
}

/** As when the process was stopped for a while: nothing of it goes on, and then all at once. */
function standStill(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

it('asks nobody while the job is surely its own', async () => {
  beginRun(10_000, [theirs]);
  await run.fence();
  expect(looks).toBe(0);
});

it('looks first when it stood still for so long that another may have the job', async () => {
  beginRun(50, [ours]);
  standStill(60);
  await run.fence();
  await run.fence();
  expect(looks).toBe(1);
});

it('sends nothing more when another has it', async () => {
  beginRun(50, [theirs]);
  standStill(60);
  await expect(run.fence()).rejects.toMatchObject({ reason: 'claim-lost' });
  expect(run.signal.aborted).toBe(true);
});

it('waits while nobody can say whose the job is', async () => {
  beginRun(50, [away, away, ours]);
  standStill(60);
  await run.fence();
  expect(looks).toBe(3);
});
