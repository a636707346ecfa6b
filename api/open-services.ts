/** Opens what the operations use, on the parts that every process has. */

import type { Parts } from '../core/app.ts';
import { createLinks } from '../core/domain/links/links.ts';
import type { JobContract } from '../core/jobs/contract.ts';
import { jobChannel } from '../core/jobs/repository/repository.ts';
import { createOauthClients } from '../core/oauth/clients.ts';
import { listen } from '../core/postgres/listen.ts';
import { openRateLimits } from '../core/rate-limits/rate-limits.ts';
import { publicUrl } from '../core/runtime/service-config.ts';
import { createFires } from '../core/schedules/runs.ts';
import { schedulesOf } from '../core/schedules/schedule.ts';
import { openScheduleDesk } from '../core/schedules/service.ts';
import type { Operation } from './http/operation.ts';
import { allScopes, startScopes } from './http/scopes.ts';
import { openJobTimes } from './jobs/job-eta.ts';
import { openJobWatch } from './jobs/job-waiter.ts';
import { openStreamSlots } from './jobs/sse-limiter.ts';
import { createOauthThrottle } from './operations/oauth/oauth-throttle.ts';
import { openRedirects } from './redirect/redirects.ts';
import type { ApiServices } from './services.ts';

export interface ServicesOptions {
  config: ApiServices['config'] & Pick<Parts['config'], 'DATA_DIR'>;
  operations: readonly Operation[];
  contracts: ReadonlyMap<string, JobContract>;
  /** Where rate limits are counted, when given; else in PostgreSQL. */
  redisUrl: string | undefined;
  /** Separates installations, and tests, that share one Redis. */
  redisPrefix?: string;
}

export interface OpenServices extends ApiServices {
  /** Closes what was opened here; the parts stay open. */
  closeServices(): Promise<void>;
}

export function openServices(
  parts: Omit<Parts, 'config' | 'dataFolder' | 'close'>,
  { config, operations, contracts, redisUrl, redisPrefix = 'portal' }: ServicesOptions,
): OpenServices {
  const { database, databaseUrl, logger } = parts;
  const fires = createFires(database);
  const watch = openJobWatch(parts.records);
  const changes = listen(databaseUrl, jobChannel, watch.changed, { logger });
  const limits = openRateLimits({ redisUrl, pool: database.pool, prefix: redisPrefix }, logger);
  const redirects = openRedirects({ database, databaseUrl, logger, config });
  return {
    ...parts,
    config,
    publicUrl: publicUrl(config),
    contracts,
    schedules: schedulesOf(contracts),
    fires,
    scheduleDesk: openScheduleDesk({ fires, desk: parts.desk, logger }),
    scopes: allScopes(operations),
    startScopes: startScopes(operations),
    watch,
    times: openJobTimes(parts.outlook),
    streams: openStreamSlots(config.MAX_EVENT_STREAMS),
    clients: createOauthClients(database),
    links: createLinks(database, publicUrl(config)),
    redirects,
    limits,
    throttle: createOauthThrottle(limits, config.TOKENS_PER_MINUTE),
    pingDatabase: async () => void (await database.pool.query('select 1')),
    async closeServices() {
      await redirects.close();
      await changes.close();
      limits.close();
    },
  };
}
