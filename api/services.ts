/** What operations may use of the service, handed to each of them. */
import type { Logger } from 'pino';
import type { CallbackSecrets } from '../core/db/callback-secrets.ts';
import type { Database } from '../core/db/client.ts';
import type { Fires } from '../core/db/fires.ts';
import type { IdempotencyKeys } from '../core/db/idempotency.ts';
import type { JobInputs } from '../core/db/job-inputs.ts';
import type { JobOutlook } from '../core/db/job-outlook.ts';
import type { OauthStore } from '../core/db/oauth.ts';
import type { OauthClients } from '../core/db/oauth-clients.ts';
import type { ServiceSecrets } from '../core/db/service-secrets.ts';
import type { WorkerSigns } from '../core/db/worker-signs.ts';
import type { Effects } from '../core/effects.ts';
import type { JobEvents } from '../core/job-event.ts';
import type { JobRecords } from '../core/job-record.ts';
import type { JobContract } from '../core/jobs/define-job.ts';
import type { JobDesk } from '../core/jobs/job-desk.ts';
import type { Queues } from '../core/jobs/queues.ts';
import type { Links } from '../core/links/links.ts';
import type { RateLimits } from '../core/rate-limits.ts';
import type { ScheduleConfig } from '../core/schedules/config.ts';
import type { Schedule } from '../core/schedules/schedule.ts';
import type { ScheduleDesk } from '../core/schedules/schedule-desk.ts';
import type { ServiceConfig } from '../core/service-config.ts';
import type { Store } from '../core/storage/store.ts';
import type { SystemGround } from '../core/systems/system-ground.ts';
import type { ApiConfig } from './config.ts';
import type { JobTimes } from './job-times.ts';
import type { JobWatch } from './job-watch.ts';
import type { OauthThrottle } from './oauth-throttle.ts';
import type { Redirects } from './redirect/redirects.ts';
import type { StreamSlots } from './stream-slots.ts';

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
