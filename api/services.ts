/** The services that every operation receives. */
import type { AppContext } from '../core/app.ts';
import type { Links } from '../core/domain/links/links.ts';
import type { openJobEta } from '../core/jobs/eta.ts';
import type { ApiAddress } from '../core/jobs/resource.ts';
import type { openJobWaiter } from '../core/jobs/waiter.ts';
import type { ConditionContext } from '../core/monitoring/conditions.ts';
import type { OauthClients } from '../core/oauth/clients.ts';
import type { openSseLimiter } from '../core/rate-limits/stream-limits.ts';
import type { ServiceConfig } from '../core/runtime/service-config.ts';
import type { ScheduleConfig } from '../core/schedules/config.ts';
import type { ScheduleRuns } from '../core/schedules/runs.ts';
import type { Schedule } from '../core/schedules/schedule.ts';
import type { ScheduleService } from '../core/schedules/service.ts';
import type { ApiConfig } from './config.ts';
import type { ApiLimits } from './limits.ts';
import type { Redirects } from './redirect/redirects.ts';

/** What each process opens. */
export type SharedServices = Omit<AppContext, 'config' | 'dataFolder' | 'close'>;

export interface ApiServices extends SharedServices {
  config: ServiceConfig & ApiConfig & ScheduleConfig;
  publicUrl: string;
  /** Address of the API. */
  address: ApiAddress;
  /** By name. */
  schedules: ReadonlyMap<string, Schedule>;
  /** What reads the conditions that a person must act on. */
  conditions: ConditionContext;
  scheduleRuns: ScheduleRuns;
  scheduleService: ScheduleService;
  eta: ReturnType<typeof openJobEta>;
  waiter: ReturnType<typeof openJobWaiter>;
  sseLimiter: ReturnType<typeof openSseLimiter>;
  clients: OauthClients;
  throttle: Throttle;
  /** All scopes that a client can have. */
  scopes: readonly string[];
  /** By job kind: the scopes that allow starting it. */
  startScopes: ReadonlyMap<string, readonly string[]>;
  limits: ApiLimits;
  links: Links;
  redirects: Redirects;
  /** @throws when PostgreSQL does not answer */
  pingDatabase(): Promise<void>;
}

export interface Throttle {
  /** @throws OauthError 429 after too many failed authentications of this client, or from this address */
  countFailure(clientId: string, address: string): Promise<void>;
  /** @throws OauthError 429 after too many tokens for this client and address within a minute */
  countToken(clientId: string, address: string): Promise<void>;
  /** @throws ServiceError too-many-requests after too many failed logins of operators from this address */
  countOperator(address: string): Promise<void>;
}
