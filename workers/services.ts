/** What handlers may use of the service, handed to them when they open. */
import type { JobInputs } from '../core/db/job-inputs.ts';
import type { Logger } from '../core/logger.ts';
import type { ServiceConfig } from '../core/service-config.ts';
import type { Store } from '../core/storage/store.ts';

export interface WorkerServices {
  config: ServiceConfig;
  logger: Logger;
  /** For caches of this machine. */
  dataFolder: string;
  inputs: JobInputs;
  results: Store;
}
