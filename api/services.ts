/** What operations may use of the service, handed to each of them. */
import type { Logger } from 'pino';
import type { CallbackSecrets } from '../core/callbacks/secrets.ts';
import type { Links } from '../core/domain/links/links.ts';
import type { Effects } from '../core/effects/ledger.ts';
import type { IdempotencyKeys } from '../core/idempotency/keys.ts';
import type { SystemGround } from '../core/integrations/kit/context.ts';
import type { JobContract } from '../core/jobs/contract.ts';
import type { JobEvents } from '../core/jobs/event.ts';
import type { Queues } from '../core/jobs/queues.ts';
import type { JobRecords } from '../core/jobs/record.ts';
import type { JobOutlook } from '../core/jobs/repository/estimates.ts';
import type { WorkerSigns } from '../core/jobs/repository/heartbeats.ts';
import type { JobInputs } from '../core/jobs/repository/inputs.ts';
import type { JobDesk } from '../core/jobs/service.ts';
import type { OauthClients } from '../core/oauth/clients.ts';
import type { OauthStore } from '../core/oauth/tokens.ts';
import type { Database } from '../core/postgres/client.ts';
import type { ServiceSecrets } from '../core/postgres/service-secrets.ts';
import type { RateLimits } from '../core/rate-limits/rate-limits.ts';
import type { ServiceConfig } from '../core/runtime/service-config.ts';
import type { ScheduleConfig } from '../core/schedules/config.ts';
import type { Fires } from '../core/schedules/runs.ts';
import type { Schedule } from '../core/schedules/schedule.ts';
import type { ScheduleDesk } from '../core/schedules/service.ts';
import type { Store } from '../core/storage/store.ts';
import type { ApiConfig } from './config.ts';
import type { JobTimes } from './jobs/job-eta.ts';
import type { JobWatch } from './jobs/job-waiter.ts';
import type { StreamSlots } from './jobs/sse-limiter.ts';
import type { OauthThrottle } from './operations/oauth/oauth-throttle.ts';
import type { Redirects } from './redirect/redirects.ts';

export interface ApiServices {
  config: ServiceConfig & ApiConfig & ScheduleConfig;
  publicUrl: string;
  logger: Logger;
  contracts: ReadonlyMap<string, JobContract>;
  /** By name. */
  schedules: ReadonlyMap<string, Schedule>;
  fires: Fires;
  scheduleDesk: ScheduleDesk;
  queues: Queues;
  desk: JobDesk;
  records: JobRecords;
  events: JobEvents;
  outlook: JobOutlook;
  times: JobTimes;
  idempotency: IdempotencyKeys;
  inputs: JobInputs;
  watch: JobWatch;
  /** The event streams that are open, counted for each client. */
  streams: StreamSlots;
  callbackSecrets: CallbackSecrets;
  oauth: OauthStore;
  clients: OauthClients;
  throttle: OauthThrottle;
  /** Those that a client can have. */
  scopes: readonly string[];
  /** By kind of job: the scopes that let a client start one. */
  startScopes: ReadonlyMap<string, readonly string[]>;
  limits: RateLimits;
  secrets: ServiceSecrets;
  signs: WorkerSigns;
  results: Store;
  links: Links;
  /** The short links that are opened, and their clicks. */
  redirects: Redirects;
  database: Database;
  /** For the connectors of outside systems: `crm.at(services.systems)`. */
  systems: SystemGround;
  effects: Effects;
  /** @throws when PostgreSQL does not answer */
  pingDatabase(): Promise<void>;
}
