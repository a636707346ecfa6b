/** What a handler is given, for tests that call one themselves, without a queue. */
import { pino } from 'pino';
import type { JobContext } from '../../core/jobs/handler.ts';

/** A job that nobody stops or takes over, and that no earlier run has begun, but for what is given. */
export const jobContext = (given: Partial<JobContext> = {}): JobContext => ({
  jobId: 'trial_by-hand',
  clientId: 'test',
  attempt: 1,
  logger: pino({ level: 'silent' }),
  signal: new AbortController().signal,
  progress: () => {},
  warn: () => {},
  checkpoint: { read: async () => undefined, write: async () => {} },
  confirmClaim: async () => {},
  ...given,
});

/** One that another run has taken over, unnoticed until it writes. */
export const lostJobContext = (): JobContext => {
  const refuse = async () => {
    throw new Error('another run took the job over');
  };
  return jobContext({ checkpoint: { read: async () => undefined, write: refuse }, confirmClaim: refuse });
};
