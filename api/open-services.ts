/** Opens what the operations use, on the parts that every process has. */
import { createFires } from '../core/db/fires.ts';
import { jobChannel } from '../core/db/jobs.ts';
import { listen } from '../core/db/listen.ts';
import { createOauthClients } from '../core/db/oauth-clients.ts';
import type { JobContract } from '../core/jobs/define-job.ts';
import { createLinks } from '../core/links/links.ts';
import type { Parts } from '../core/parts.ts';
import { openRateLimits } from '../core/rate-limits.ts';
import { schedulesOf } from '../core/schedules/schedule.ts';
import { openScheduleDesk } from '../core/schedules/schedule-desk.ts';
import { publicUrl } from '../core/service-config.ts';
import { openJobTimes } from './job-times.ts';
import { openJobWatch } from './job-watch.ts';
import { createOauthThrottle } from './oauth-throttle.ts';
import type { Operation } from './operation.ts';
import { openRedirects } from './redirect/redirects.ts';
import { allScopes, startScopes } from './scopes.ts';
import type { ApiServices } from './services.ts';
import { openStreamSlots } from './stream-slots.ts';

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
