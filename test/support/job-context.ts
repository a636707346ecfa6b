/** The context of a handler, for tests that call a handler without a queue. */
import { pino } from 'pino';
import type { JobContext } from '../../core/jobs/handler.ts';

/** A first run that is neither cancelled nor taken over; `given` overrides. */
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

/** A run whose job another run has taken over: writes fail. */
export const takenOverJobContext = (): JobContext => {
  const reject = async () => {
    throw new Error('another run took the job over');
  };
  return jobContext({ checkpoint: { read: async () => undefined, write: reject }, confirmClaim: reject });
};
