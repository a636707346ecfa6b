/** A real worker process for a test's own service and sandbox, to be killed without a word. */
import { type ServiceProcess, startProcess } from './processes.ts';
import type { TestService } from './test-service.ts';

/** On the service's PostgreSQL, with its queues there too, and the outside systems in the sandbox. */
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
      // Whatever a killed worker sent, the sandbox carries out at once.
      SETTLING_SECONDS: '0',
      ...env,
    },
  });
}
