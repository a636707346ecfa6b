/** What the API itself is configured by. */
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { BrandsConfig } from '../core/domain/brands/config.ts';
import { LinksConfig } from '../core/domain/links/config.ts';
import { EgressConfig } from '../core/egress/config.ts';
import { wholeNumber, yesOrNo } from '../core/runtime/config.ts';
import { SandboxConfig } from '../core/runtime/sandbox-config.ts';
import { schedulerClientId } from '../core/schedules/run.ts';

const proxiesError = 'must be addresses or CIDRs, comma-separated, such as 10.0.0.0/8,192.168.1.5';

export const proxyAddresses = z
  .string()
  .transform(text => text.split(',').map(part => part.trim()))
  .pipe(z.array(z.string().refine(part => ipaddr.isValid(part) || ipaddr.isValidCIDR(part), proxiesError)));

export const ApiConfig = z.object({
  ...BrandsConfig.shape,
  ...EgressConfig.shape,
  ...LinksConfig.shape,
  ...SandboxConfig.shape,
  BOOTSTRAP_CLIENT_ID: z
    .string()
    .refine(id => id !== schedulerClientId, 'must not be scheduler: that is whose jobs the schedules’ are')
    .optional()
    .describe('A client with all scopes, made or updated at start.'),
  BOOTSTRAP_CLIENT_SECRET: z
    .string()
    .optional()
    .describe('Its secret; at least 32 random characters in production.'),
  TOKENS_PER_MINUTE: wholeNumber(1, 1_000_000)
    .default(600)
    .describe('Access tokens that a client gets from one address in a minute at most.'),
  TRUST_PROXY: proxyAddresses
    .default([])
    .describe(
      'Proxies whose X-Forwarded-For is believed: addresses or CIDRs, comma-separated; unset: nobody’s.',
    ),
  OPS_USER: z
    .string()
    .optional()
    .describe('Login of /ops, Bull Board and /metrics; unset: only tokens with the scope ops.'),
  OPS_PASSWORD: z.string().optional().describe('Its password.'),
  OPS_BOARD_WRITABLE: yesOrNo
    .default(false)
    .describe('Whether Bull Board may change queues: retry, remove, pause.'),
  LISTING_CRM_ID_FIELD: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a field name, such as crm_id')
    .default('crm_id')
    .describe('The name under which the portal sends a listing’s CRM id; crm_id is always accepted.'),
  MAX_OPEN_JOBS: wholeNumber(1, 1_000_000)
    .default(2_000)
    .describe('Jobs of one kind that a client may have waiting or running at once.'),
  REQUESTS_PER_MINUTE: wholeNumber(1, 10_000_000)
    .default(6_000)
    .describe(
      'Requests that a client may send in a minute; counted by all API processes together with Redis, else by each.',
    ),
  MAX_WAIT_SECONDS: wholeNumber(0, 600).default(60).describe('Longest time a request may wait for its job.'),
  MAX_EVENT_STREAMS: wholeNumber(1, 10_000)
    .default(20)
    .describe('Event streams that a client may have open at once, in each API process.'),
  EVENT_HEARTBEAT_MS: wholeNumber(50, 60_000)
    .default(15_000)
    .describe('How long an event stream may be silent, so that no proxy takes it for dead.'),
});

export type ApiConfig = z.infer<typeof ApiConfig>;
