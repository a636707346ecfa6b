/** A job's row for tests that need no database. */
import type { JobRecord } from '../../core/job-record.ts';

export const jobRecord = (given: Partial<JobRecord> = {}): JobRecord => ({
  id: 'pdf_019aa5f1-0000-7000-8000-000000000001',
  kind: 'pdf',
  clientId: 'a-client',
  state: 'succeeded',
  payload: {},
  exclusiveKey: null,
  progress: null,
  attemptsMade: 1,
  attemptsMax: 3,
  createdAt: new Date('2026-01-31T08:00:00Z'),
  startedAt: new Date('2026-01-31T08:00:01Z'),
  finishedAt: new Date('2026-01-31T08:00:02Z'),
  result: null,
  resultFile: null,
  resultExpiresAt: null,
  error: null,
  warnings: [],
  sandboxes: [],
  cancelRequestedAt: null,
  startBy: null,
  turn: 1,
  callback: null,
  released: null,
  ...given,
});
