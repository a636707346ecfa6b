/** Jobs that a release queued are understood by the present contracts: they may wait while a new version is rolled out. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { discoverContracts } from '../../../core/jobs/discover.ts';
import { recordedReleases } from '../../support/releases/release.ts';

const Job = z.object({ id: z.string(), kind: z.string(), payload: z.unknown() });
const contracts = await discoverContracts();

/** What is to be done, for whoever changed a contract and meets this test. */
const mend =
  'Keep the contract open to it: a new member is optional or has a default, a member that goes is still accepted, ' +
  'until no job of that release can wait any more.';

describe.each(recordedReleases())('the jobs of release $version', ({ tables }) => {
  const jobs = z.array(Job).parse(tables.find(({ table }) => table === 'public.job')?.rows);

  it('are of every kind that there was, with several payloads', () => {
    expect(new Set(jobs.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(9);
    expect(jobs.length).toBeGreaterThan(25);
  });

  it.each(jobs.map(({ id, kind, payload }) => ({ id, kind, payload })))(
    '$id is parsed by its kind’s contract',
    ({ kind, payload }) => {
      const contract = contracts.get(kind);
      expect(contract, `There is no kind ${kind} any more, but jobs of it may wait. ${mend}`).toBeDefined();
      const parsed = contract?.payload.safeParse(payload);
      expect(parsed?.error?.issues, `${JSON.stringify(payload)} is not understood. ${mend}`).toBeUndefined();
    },
  );
});
