/** The services that handlers receive when they open. */
import type { Effects } from '../core/effects/ledger.ts';
import type { IntegrationContext } from '../core/integrations/kit/context.ts';
import type { JobInputs } from '../core/jobs/repository/inputs.ts';
import type { Database } from '../core/postgres/client.ts';
import type { ServiceSecrets } from '../core/postgres/service-secrets.ts';
import type { ServiceConfig } from '../core/runtime/service-config.ts';
import type { Store } from '../core/storage/store.ts';
import type { Logger } from '../core/telemetry/logger.ts';

export interface WorkerServices {
  config: ServiceConfig;
  logger: Logger;
  /** For caches on this machine. */
  dataFolder: string;
  inputs: JobInputs;
  results: Store;
  database: Database;
  /** For the connectors of outside systems: `crm.at(services.systems)`. */
  systems: IntegrationContext;
  effects: Effects;
  secrets: ServiceSecrets;
}
