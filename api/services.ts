/** The services that every operation receives. */
import type { Logger } from 'pino';
import type { CallbackSecrets } from '../core/callbacks/secrets.ts';
import type { Links } from '../core/domain/links/links.ts';
import type { Effects } from '../core/effects/ledger.ts';
import type { IdempotencyKeys } from '../core/idempotency/keys.ts';
import type { IntegrationContext } from '../core/integrations/kit/context.ts';
import type { JobContract } from '../core/jobs/contract.ts';
import type { Queues } from '../core/jobs/queues.ts';
import type { JobRecord } from '../core/jobs/record.ts';
import type { JobEstimates, TypicalTimes } from '../core/jobs/repository/estimates.ts';
import type { JobEvents } from '../core/jobs/repository/events.ts';
import type { Heartbeats } from '../core/jobs/repository/heartbeats.ts';
import type { JobInputs } from '../core/jobs/repository/inputs.ts';
import type { JobRecords } from '../core/jobs/repository/repository.ts';
import type { ApiAddress } from '../core/jobs/resource.ts';
import type { JobService } from '../core/jobs/service.ts';
import type { OauthClients } from '../core/oauth/clients.ts';
import type { OauthStore } from '../core/oauth/tokens.ts';
import type { Database } from '../core/postgres/client.ts';
import type { ServiceSecrets } from '../core/postgres/service-secrets.ts';
import type { RateLimits } from '../core/rate-limits/rate-limits.ts';
import type { ServiceConfig } from '../core/runtime/service-config.ts';
import type { ScheduleConfig } from '../core/schedules/config.ts';
import type { ScheduleRuns } from '../core/schedules/runs.ts';
import type { Schedule } from '../core/schedules/schedule.ts';
import type { ScheduleService } from '../core/schedules/service.ts';
import type { Store } from '../core/storage/store.ts';
import type { ApiConfig } from './config.ts';
import type { Redirects } from './redirect/redirects.ts';

export interface ApiServices {
  config: ServiceConfig & ApiConfig & ScheduleConfig;
  publicUrl: string;
  /** Of the API. */
  address: ApiAddress;
  logger: Logger;
  contracts: ReadonlyMap<string, JobContract>;
  /** By name. */
  schedules: ReadonlyMap<string, Schedule>;
  scheduleRuns: ScheduleRuns;
  scheduleService: ScheduleService;
  queues: Queues;
  jobs: JobService;
  records: JobRecords;
  events: JobEvents;
  estimates: JobEstimates;
  eta: JobEta;
  idempotency: IdempotencyKeys;
  inputs: JobInputs;
  waiter: JobWaiter;
  sseLimiter: SseLimiter;
  callbackSecrets: CallbackSecrets;
  oauth: OauthStore;
  clients: OauthClients;
  throttle: Throttle;
  /** All scopes that a client can have. */
  scopes: readonly string[];
  /** By job kind: the scopes that allow starting it. */
  startScopes: ReadonlyMap<string, readonly string[]>;
  limits: RateLimits;
  secrets: ServiceSecrets;
  heartbeats: Heartbeats;
  results: Store;
  links: Links;
  redirects: Redirects;
  database: Database;
  /** Context of the integrations: `crm.at(services.systems)`. */
  systems: IntegrationContext;
  effects: Effects;
  /** @throws when PostgreSQL does not answer */
  pingDatabase(): Promise<void>;
}

export interface JobEta {
  /** Undefined while too few jobs of the kind have finished. */
  typical(kind: string): Promise<TypicalTimes | undefined>;
  /** For `Retry-After`: estimated seconds until the job ends, 1 to 60. */
  retryAfterSeconds(job: Pick<JobRecord, 'kind' | 'createdAt'>): Promise<number>;
}

export interface JobWaiter {
  /** Resolves with the job when it has ended or is held, or with its current state on abort or `close`. */
  untilEnded(job: JobRecord, signal: AbortSignal): Promise<JobRecord>;
  /**
   * Resolves after a notification of a change, after `maxMs`, on abort or on `close`. Call it before reading the job's
   * row: a change in between would be missed otherwise.
   * @param maxMs at most 1,000, the default
   */
  nextChange(jobId: string, signal: AbortSignal, maxMs?: number): Promise<void>;
  /** Wakes the waiters of a job whose row has changed. */
  changed(jobId: string): void;
  /** For the shutdown: ends all waits, present and future. */
  close(): void;
  readonly closed: boolean;
}

export interface StreamSlot {
  /** Aborts when the client disconnects or the stream must be closed. */
  signal: AbortSignal;
  release(): void;
}

export interface SseLimiter {
  /**
   * @param hangUp aborts when the client disconnects
   * @throws ServiceError too-many-requests
   */
  take(clientId: string, hangUp: AbortSignal): StreamSlot;
  /** For the shutdown: streams end by themselves; after a second, streams with a stalled reader are closed. */
  close(): void;
}

export interface Throttle {
  /** @throws OauthError 429 after too many failed authentications of this client, or from this address */
  countFailure(clientId: string, address: string): Promise<void>;
  /** @throws OauthError 429 after too many tokens for this client and address within a minute */
  countToken(clientId: string, address: string): Promise<void>;
  /** @throws ServiceError too-many-requests after too many failed logins of operators from this address */
  countOperator(address: string): Promise<void>;
}
