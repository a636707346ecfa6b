/** Opens the services of the API on top of the context that all processes share. */
import { createLinks } from '../core/domain/links/links.ts';
import { openJobEta } from '../core/jobs/eta.ts';
import { openJobWaiter } from '../core/jobs/waiter.ts';
import { createOauthClients } from '../core/oauth/clients.ts';
import { openRateLimits } from '../core/rate-limits/rate-limits.ts';
import { openSseLimiter } from '../core/rate-limits/stream-limits.ts';
import type { RedisAddress } from '../core/redis/connection.ts';
import { publicUrl } from '../core/runtime/service-config.ts';
import { offReasonOf } from '../core/schedules/config.ts';
import { createScheduleRuns } from '../core/schedules/runs.ts';
import { schedulesOf } from '../core/schedules/schedule.ts';
import { openScheduleService } from '../core/schedules/service.ts';
import { allScopes, startScopes } from './http/load-operations.ts';
import type { Operation } from './http/operation.ts';
import { createLimits } from './limits.ts';
import { createOauthThrottle } from './operations/oauth/oauth-throttle.ts';
import { openRedirects } from './redirect/redirects.ts';
import type { ApiServices, SharedServices } from './services.ts';

export interface ServicesOptions {
  config: ApiServices['config'];
  operations: readonly Operation[];
  /** Undefined: rate limits are counted in PostgreSQL. */
  redis: RedisAddress | undefined;
  /** Separates installations that share one Redis. */
  redisPrefix?: string;
}

export interface OpenServices extends ApiServices {
  /** Closes the services opened here, not the shared context. */
  closeServices(): Promise<void>;
}

export function openServices(
  parts: SharedServices,
  { config, operations, redis, redisPrefix = 'portal' }: ServicesOptions,
): OpenServices {
  const { database, logger, contracts } = parts;
  const schedules = schedulesOf(contracts);
  const scheduleRuns = createScheduleRuns(database);
  const waiter = openJobWaiter(parts.records);
  const changes = parts.changes.subscribe('job', waiter.changed);
  const rateLimits = openRateLimits({ redis, pool: database.pool, prefix: redisPrefix }, logger);
  const redirects = openRedirects({ database, logger, config });
  return {
    ...parts,
    config,
    publicUrl: publicUrl(config),
    address: { links: config.BASE_PATH, url: publicUrl(config) + config.BASE_PATH },
    schedules,
    conditions: {
      database,
      contracts,
      schedules: [...schedules.values()].filter(schedule => !offReasonOf(schedule, config)),
    },
    scheduleRuns,
    scheduleService: openScheduleService({ runs: scheduleRuns, jobs: parts.jobs, logger }),
    scopes: allScopes(operations),
    startScopes: startScopes(operations),
    waiter,
    eta: openJobEta(parts.estimates),
    sseLimiter: openSseLimiter(config.MAX_EVENT_STREAMS),
    clients: createOauthClients(database),
    links: createLinks(database, publicUrl(config)),
    redirects,
    limits: createLimits(rateLimits, config),
    throttle: createOauthThrottle(rateLimits, config.TOKENS_PER_MINUTE),
    pingDatabase: async () => void (await database.pool.query('select 1')),
    async closeServices() {
      await redirects.close();
      await changes.close();
      rateLimits.close();
    },
  };
}
