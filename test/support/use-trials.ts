/** The service with the job kinds of `trial-jobs.ts`, a worker that runs them, and a client that starts them. */
import { beforeAll } from 'vitest';
import { type TestServiceOptions, useClient, useService } from './test-service.ts';
import { openTrials, trialContracts, trialOperations } from './trial-jobs.ts';

/** Opens them for the tests of a file or of a `describe` block, as `useService`. */
export function useTrials(name: string, options: () => TestServiceOptions = () => ({})) {
  const service = useService(name, () => ({ operations: trialOperations, contracts: trialContracts, ...options() }));
  const client = useClient(service, ['trial']);
  const trials = openTrials();
  beforeAll(() => void service.startWorker(trials.servedKinds));
  /** Starts a job of the kind `trial`. @returns its id */
  const start = async (job: string, as = client): Promise<string> =>
    (await as.requestJob('POST', '/trials/trial', { body: { name: job } })).id;
  return { service, client, trials, start };
}
