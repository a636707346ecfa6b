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
import type { JobRecord, JobRecords } from '../core/jobs/record.ts';
import type { JobOutlook, TypicalTimes } from '../core/jobs/repository/estimates.ts';
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

export interface JobTimes {
  /** Undefined while too little is known of the kind. */
  typical(kind: string): Promise<TypicalTimes | undefined>;
  /** For `Retry-After`: when a job that is not over yet has probably ended, in seconds from 1 to 60. */
  retryAfterSeconds(job: Pick<JobRecord, 'kind' | 'createdAt'>): Promise<number>;
}

export interface JobWatch {
  /** The job as soon as it has ended, or is held; as it is when the signal is aborted, or the watch closed, first. */
  untilEnded(job: JobRecord, signal: AbortSignal): Promise<JobRecord>;
  /**
   * Resolves when the job's row may have changed: told of a change, after a while, or when there is no use in waiting.
   * Ask for it before looking at the row, so that no change falls between the two.
   * @param atMostMs a second unless given less
   */
  nextChange(jobId: string, signal: AbortSignal, atMostMs?: number): Promise<void>;
  /** A job's row changed. */
  changed(jobId: string): void;
  /** Ends every wait, now and from now on: the API shuts down, and none may hold it up. */
  close(): void;
  readonly closed: boolean;
}

export interface StreamSlot {
  /** Aborted when the client hung up, or the stream must be cut off. */
  signal: AbortSignal;
  release(): void;
}

export interface StreamSlots {
  /**
   * @param hangUp aborted when the client hangs up
   * @throws ServiceError too-many-requests
   */
  take(clientId: string, hangUp: AbortSignal): StreamSlot;
  /** The API shuts down: streams end by themselves now, and whose reader takes nothing is cut off soon. */
  close(): void;
}

export interface OauthThrottle {
  /** @throws OauthError 429 when too many authentications of this client from this address failed lately */
  refuseBlocked(clientId: string, address: string): Promise<void>;
  countFailure(clientId: string, address: string): Promise<void>;
  /** @throws OauthError 429 when this client got too many tokens from this address within a minute */
  countToken(clientId: string, address: string): Promise<void>;
}
