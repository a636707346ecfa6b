import { hash } from 'node:crypto';
import { z } from 'zod';
import { takeEnquiry } from '../../../core/domain/leads/create-lead.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { exceededLimit } from '../../../core/rate-limits/rate-limits.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { type Call, created, defineOperation, effectPending, idempotencyKeyOf } from '../../http/operation.ts';
import { leadInput, leadOf, rejectBothForms } from './lead-input.ts';
import { CreatedLead } from './lead-resource.ts';

const Enquiry = z
  .object({
    ...leadInput,
    name: leadInput.name.unwrap().describe('The person.'),
    consent: z
      .literal(true, { error: 'must be true: without consent no personal data is stored' })
      .describe('The person’s consent to be contacted.'),
    website: z
      .string()
      .max(0, 'must be empty: only bots fill in the hidden field')
      .default('')
      .describe('Honeypot: the value of a form field that is hidden from people.'),
    visitorAddress: z
      .union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' })
      .optional()
      .describe('The visitor’s IP address, for the rate limit; absent: the caller’s. It is not stored.'),
  })
  .superRefine(rejectBothForms)
  .refine(({ phone, phones, email, emails }) => phone ?? email ?? phones?.[0] ?? emails?.[0], {
    path: ['phone'],
    message: 'is required unless email is given',
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

export default defineOperation({
  summary:
    'Create a lead from a landing page. If the person has an open lead (same phone number or e-mail address), a note is ' +
    'added to it instead.',
  id: 'crm.takeLandingPageLead',
  route: 'POST /apps/crm/v1/leads/landing-page',
  scope: 'crm:write',
  idempotent: true,
  request: { body: Enquiry },
  answers: { 201: { description: 'The enquiry is in the CRM.', schema: CreatedLead, headers: ['Location'] } },
  calls: [crmSystem],
  problems: effectPending,
  async handle({ body }, call) {
    const { services, client, request } = call;
    const { consent: _, website: __, visitorAddress, title = `Landing page: ${body.name}`, ...given } = body;
    const uncount = await limitRate(visitorAddress ?? request.ip, call);
    const { page } = given;
    const taken = await takeEnquiry(
      { crm: crmSystem.client(services.systems), effects: services.effects },
      `landing-page:${client.clientId}:${idempotencyKeyOf(call)}`,
      {
        source: 'WEB',
        sourceDescription: page ?? 'Landing page',
        ...leadOf(given),
        title,
        place: page ?? 'a landing page',
        marketingConsent: true,
      },
    ).catch(async (error: unknown) => {
      // The page sends a failed enquiry again.
      await uncount();
      throw error;
    });
    return created(call, `/apps/crm/v1/leads/${taken.id}`, taken);
  },
});

/** Counts an enquiry. @returns takes it back @throws ServiceError too-many-requests */
async function limitRate(address: string, { services }: Call): Promise<() => Promise<unknown>> {
  const limiter = services.limits.landingPageLeads;
  // Hashed, so that no address is stored.
  const key = hash('sha256', address, 'base64url').slice(0, 22);
  const exceeded = await exceededLimit(limiter, key);
  if (!exceeded) return () => limiter.reward(key);
  throw new ServiceError(
    'too-many-requests',
    `More than ${limiter.points} enquiries came from this address within an hour; try again later.`,
    { retryAfterSeconds: Math.ceil(exceeded.msBeforeNext / 1_000) },
  );
}
