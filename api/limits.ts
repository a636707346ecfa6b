/** The rate limits of requests; those of credentials are in `operations/oauth/oauth-throttle.ts`. */
import type { RateLimits } from '../core/rate-limits/rate-limits.ts';
import type { ApiConfig } from './config.ts';

const minute = 60;
const hour = 3_600;
const day = 86_400;

export type ApiLimits = ReturnType<typeof createLimits>;

export const createLimits = (limits: RateLimits, config: ApiConfig) => ({
  /** Requests of a client; not in PostgreSQL, where every request would cost a write. */
  requests: limits.limiter({
    name: 'requests',
    points: config.REQUESTS_PER_MINUTE,
    seconds: minute,
    withoutRedis: 'memory',
  }),
  /** Enquiries from an address: far more than several people behind one router send. */
  landingPageLeads: limits.limiter({
    name: 'landing-page-leads',
    points: 20,
    seconds: hour,
    withoutRedis: 'postgres',
    givesBack: true,
  }),
  /** Addresses to which a client sends brochures. */
  mailRecipients: limits.limiter({
    name: 'mail-recipients',
    points: config.MAIL_RECIPIENTS_PER_CLIENT_DAY,
    seconds: day,
    withoutRedis: 'postgres',
    givesBack: true,
  }),
});
