/** A worker process for a test's service and sandbox, which a test may kill. */
import { type ServiceProcess, startProcess } from './processes.ts';
import type { TestService } from './test-service.ts';

/** Uses the service's PostgreSQL, also for the queues, and the sandbox. */
export function startWorkerProcess(
  service: Pick<TestService, 'databaseUrl' | 'dataFolder'>,
  sandboxUrl: string,
  kinds: readonly string[],
  env: Record<string, string> = {},
): ServiceProcess {
  return startProcess('workers/main.ts', {
    args: kinds,
    env: {
      NODE_ENV: 'development',
      LOG_LEVEL: 'info',
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: service.dataFolder,
      SANDBOX_PORT: new URL(sandboxUrl).port,
      SHUTDOWN_GRACE_SECONDS: '2',
      WORKER_LOCK_SECONDS: '3',
      // The sandbox executes calls at once, so the effects of a killed worker need no settling time.
      SETTLING_SECONDS: '0',
      ...env,
    },
  });
}
