/** The contracts accept jobs queued by earlier releases, which may wait during an upgrade. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { discoverContracts } from '../../../core/jobs/discover.ts';
import { recordedReleases } from '../../support/releases/release.ts';

const Job = z.object({ id: z.string(), kind: z.string(), payload: z.unknown() });
const contracts = await discoverContracts();

/** Shown when a changed contract fails this test. */
const fix =
  'Keep the contract compatible: make a new member optional or give it a default, and accept a removed member ' +
  'until no job of that release can be waiting.';

describe.each(recordedReleases())('the jobs of release $version', ({ tables }) => {
  const jobs = z.array(Job).parse(tables.find(({ table }) => table === 'public.job')?.rows);

  it('are of all kinds, with several payloads', () => {
    expect(new Set(jobs.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(9);
    expect(jobs.length).toBeGreaterThan(25);
  });

  it('match the contracts of their kinds', () => {
    for (const { id, kind, payload } of jobs) {
      const contract = contracts.get(kind);
      expect(contract, `The kind ${kind} does not exist, but jobs of it may be waiting. ${fix}`).toBeDefined();
      const parsed = contract?.payload.safeParse(payload);
      expect(parsed?.error?.issues, `${id}: ${JSON.stringify(payload)} is rejected. ${fix}`).toBeUndefined();
    }
  });
});
