import { createHash, randomUUID } from 'node:crypto';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { z } from 'zod';
import { takeLandingPageLead } from '../../../core/domain/leads/create-lead.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { EmailInput, PhoneInput, shortText } from '../../http/input-fields.ts';
import { type Call, defineOperation } from '../../http/operation.ts';
import { CreatedLead, UtmInput } from './lead-resource.ts';

const Enquiry = z
  .object({
    name: shortText.min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
    phone: PhoneInput.optional(),
    email: EmailInput.optional(),
    message: z.string().trim().max(5_000, 'must have at most 5,000 characters').optional(),
    page: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .max(2_048, 'must have at most 2,048 characters')
      .optional()
      .describe('The landing page.'),
    consent: z
      .literal(true, { error: 'must be true: without consent the person’s data is not kept' })
      .describe('Whether the person agreed to be contacted.'),
    utm: UtmInput.default({}),
    website: z
      .string()
      .max(0, 'must be empty: whoever fills in the hidden field is taken for a program')
      .default('')
      .describe('Honeypot: a field of the form that people do not see; send what came in it.'),
    visitorAddress: z
      .union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' })
      .optional()
      .describe(
        'The visitor’s address, by which enquiries are throttled; absent: the caller’s. It is not kept.',
      ),
  })
  .refine(({ phone, email }) => phone !== undefined || email !== undefined, {
    path: ['phone'],
    message: 'must be given, or email',
  })
  .meta({
    examples: [
      {
        name: 'Sara Haddad',
        phone: '050 123 4561',
        message: 'Please call me about the two-bedroom.',
        page: 'https://example.com/marina-launch',
        consent: true,
        utm: { source: 'instagram', campaign: 'marina-launch' },
      },
    ],
  });

/** Enquiries from one address in an hour; a family behind one router stays far below. */
const enquiriesAnHour = 20;

export default defineOperation({
  summary:
    'Create a lead from a landing page. A person who has an open lead (same phone number or e-mail address) gets a ' +
    'note on it instead of a second one.',
  id: 'crm.takeLandingPageLead',
  method: 'POST',
  path: '/apps/crm/v1/leads/landing-page',
  scope: 'crm:write',
  idempotent: true,
  request: { body: Enquiry },
  answers: { 201: { description: 'The enquiry is in the CRM.', schema: CreatedLead } },
  async handle({ body }, call) {
    const { services, client, request } = call;
    await throttle(body.visitorAddress ?? request.ip, call);
    const key = request.headers['idempotency-key']?.toString() ?? randomUUID();
    const { name, phone, email, message, page, utm } = body;
    const taken = await takeLandingPageLead(
      { crm: crmSystem.client(services.systems), effects: services.effects, database: services.database },
      `landing-page:${client.clientId}:${key}`,
      { name, phone, email, message, page, utm },
    );
    return {
      status: 201,
      headers: { location: `${services.config.BASE_PATH}/apps/crm/v1/leads/${taken.id}` },
      body: taken,
    };
  },
});

/** @throws ServiceError too-many-requests */
async function throttle(address: string, { services }: Call): Promise<void> {
  const limiter = services.limits.limiter({
    name: 'landing-page-leads',
    points: enquiriesAnHour,
    seconds: 3_600,
    withoutRedis: 'postgres',
  });
  // A digest: the counter needs to tell addresses apart, not to know them.
  const key = createHash('sha256').update(address).digest('base64url').slice(0, 22);
  try {
    await limiter.consume(key);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    throw new ServiceError(
      'too-many-requests',
      `More than ${enquiriesAnHour} enquiries came from this address within an hour.`,
      { retryAfterSeconds: Math.ceil(error.msBeforeNext / 1_000) },
    );
  }
}
