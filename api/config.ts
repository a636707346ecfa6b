/** Environment variables of the API. */
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { BrandsConfig } from '../core/domain/brands/brands.ts';
import { LinksConfig } from '../core/domain/links/country.ts';
import { EgressConfig } from '../core/egress/config.ts';
import { MailConfig } from '../core/mail/config.ts';
import { trueOrFalse, wholeNumber } from '../core/runtime/config.ts';
import { SandboxConfig } from '../core/runtime/service-config.ts';
import { schedulerClientId } from '../core/schedules/schedule.ts';

const proxiesError = 'must be addresses or CIDRs, comma-separated, such as 10.0.0.0/8,192.168.1.5';

export const proxyAddresses = z
  .string()
  .transform(text => text.split(',').map(part => part.trim()))
  .pipe(z.array(z.string().refine(part => ipaddr.isValid(part) || ipaddr.isValidCIDR(part), proxiesError)));

/** The provider's address; without TLS on this machine only. */
const issuerUrl = z.url().refine(text => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}, 'must be an https URL');

const groupNames = z.string().transform(text =>
  text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== ''),
);

export const ApiConfig = z.object({
  ...BrandsConfig.shape,
  ...EgressConfig.shape,
  ...LinksConfig.shape,
  ...MailConfig.shape,
  ...SandboxConfig.shape,
  BOOTSTRAP_CLIENT_ID: z
    .string()
    .refine(id => id !== schedulerClientId, 'must not be scheduler: that client id owns the jobs of schedules')
    .refine(id => id !== 'studio', 'must not be studio: operators get tokens of that client')
    .optional()
    .describe('OAuth client with all scopes, created or updated at start.'),
  BOOTSTRAP_CLIENT_SECRET: z
    .string()
    .optional()
    .describe('Secret of BOOTSTRAP_CLIENT_ID; at least 32 random characters in production: openssl rand -hex 32.'),
  TOKENS_PER_MINUTE: wholeNumber(1, 1_000_000)
    .default(600)
    .describe('Maximum access tokens per client and address within a minute.'),
  TRUST_PROXY: proxyAddresses
    .default([])
    .describe('Proxies whose X-Forwarded-For is trusted: addresses or CIDRs, comma-separated; unset: none.'),
  OPS_USER: z
    .string()
    .optional()
    .describe(
      'Login for /ops, Bull Board and /metrics, shared by all who know it; unset: OpenID Connect, and tokens with the scope ops.',
    ),
  OPS_PASSWORD: z.string().optional().describe('Password of OPS_USER.'),
  OIDC_ISSUER: issuerUrl
    .optional()
    .describe('OpenID Connect provider where operators sign in, such as the identity directory; unset: OPS_USER only.'),
  OIDC_CLIENT_ID: z
    .string()
    .optional()
    .describe('Client of the provider; its redirect URL is PUBLIC_URL and BASE_PATH, then /ops/sign-in/callback.'),
  OIDC_CLIENT_SECRET: z.string().optional().describe('Secret of OIDC_CLIENT_ID.'),
  OIDC_SCOPES: z.string().default('openid profile email').describe('Scopes that are requested from the provider.'),
  OIDC_GROUPS_CLAIM: z
    .string()
    .default('groups')
    .describe('Claim of the ID token or of the user info that lists the groups.'),
  OIDC_OPERATOR_GROUPS: groupNames
    .default([])
    .describe('Groups whose members may see and act on the operations pages, comma-separated.'),
  OIDC_VIEWER_GROUPS: groupNames.default([]).describe('Groups whose members may only see them, comma-separated.'),
  OPS_SESSION_HOURS: wholeNumber(1, 168).default(8).describe('Time after which an operator must sign in again.'),
  OPS_BOARD_WRITABLE: trueOrFalse
    .default(false)
    .describe('Allows changes to queues on Bull Board: retry, remove, pause.'),
  LISTING_CRM_ID_FIELD: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a field name, such as crm_id')
    .default('crm_id')
    .describe('Field in which the portal sends a listing’s CRM id; crm_id is always accepted.'),
  MAIL_RECIPIENTS_PER_CLIENT_DAY: wholeNumber(0, 1_000_000)
    .default(200)
    .describe('Maximum recipients of brochures by e-mail per client within 24 hours.'),
  MAX_OPEN_JOBS: wholeNumber(1, 1_000_000).default(2_000).describe('Maximum unfinished jobs per client and job kind.'),
  REQUESTS_PER_MINUTE: wholeNumber(1, 10_000_000)
    .default(6_000)
    .describe('Maximum requests per client and minute; counted per API process without Redis.'),
  INTERACTIVE_DEADLINE_SECONDS: wholeNumber(1, 600)
    .default(20)
    .describe(
      'Time for all calls of a request to outside systems together, with retries and waits; then it is answered with 504.',
    ),
  MAX_WAIT_SECONDS: wholeNumber(0, 600).default(60).describe('Longest time that a request may wait for its job.'),
  MAX_EVENT_STREAMS: wholeNumber(1, 10_000)
    .default(20)
    .describe('Maximum open event streams per client and API process.'),
  MAX_EVENT_LOOP_DELAY_MS: wholeNumber(0, 600_000)
    .default(2_000)
    .describe('Mean delay of the event loop above which an API process answers 503, in milliseconds; 0: never.'),
  EVENT_HEARTBEAT_MS: wholeNumber(50, 60_000)
    .default(15_000)
    .describe('Interval of heartbeats on event streams, so that proxies do not close idle ones.'),
});

export type ApiConfig = z.infer<typeof ApiConfig>;
