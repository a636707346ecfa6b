/** What handlers may use of the service, handed to them when they open. */
import type { Database } from '../core/db/client.ts';
import type { JobInputs } from '../core/db/job-inputs.ts';
import type { Effects } from '../core/effects.ts';
import type { Logger } from '../core/logger.ts';
import type { ServiceConfig } from '../core/service-config.ts';
import type { Store } from '../core/storage/store.ts';
import type { SystemGround } from '../core/systems/system-ground.ts';

export interface WorkerServices {
  config: ServiceConfig;
  logger: Logger;
  /** For caches of this machine. */
  dataFolder: string;
  inputs: JobInputs;
  results: Store;
  database: Database;
  /** For the connectors of outside systems: `crm.at(services.systems)`. */
  systems: SystemGround;
  effects: Effects;
}
