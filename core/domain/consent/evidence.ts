/** Evidence that a person agreed to marketing, as Cabinet Resolution 56 of 2024 requires it to be kept. */
import { z } from 'zod';
import type { Crm } from '../../integrations/crm/system.ts';
import { ServiceError } from '../../runtime/errors.ts';

export const Consent = z
  .object({
    source: z.string().trim().min(1).max(200).describe('Where the person agreed, such as a form or a contract.'),
    at: z.iso
      .datetime({ offset: true, error: 'must be an ISO 8601 time, such as 2026-01-31T08:00:00Z' })
      .refine(at => Date.parse(at) <= Date.now(), 'must not be in the future')
      .describe('When the person agreed.'),
    reference: z.string().trim().min(1).max(200).optional().describe('Where the proof is, such as the id of a form.'),
  })
  .meta({ examples: [{ source: 'website form', at: '2026-01-31T08:00:00Z', reference: 'form-4711' }] });
export type Consent = z.output<typeof Consent>;

/**
 * The consent of the request, or the consent field of the person's newest lead that has a value.
 * @param to E.164 @param crm undefined: not configured here
 * @throws ServiceError consent-missing
 */
export async function requireConsent(given: Consent | undefined, to: string, crm: Crm | undefined): Promise<Consent> {
  const consent = given ?? (crm && (await consentInCrm(to, crm)));
  if (consent) return consent;
  throw new ServiceError(
    'consent-missing',
    'There is no evidence that this person agreed to marketing. Send `consent` with source and time, or record the consent in the CRM.',
  );
}

async function consentInCrm(to: string, crm: Crm): Promise<Consent | undefined> {
  const { leads } = await crm.leads.duplicates({ phones: [to], emails: [] });
  const decided = [...(await crm.leads.getMany(leads)).values()]
    .filter(({ marketingConsent }) => marketingConsent !== null)
    .sort((one, other) => other.modifiedAt.getTime() - one.modifiedAt.getTime());
  const [newest] = decided;
  if (!newest?.marketingConsent) return undefined;
  return { source: 'CRM', at: newest.modifiedAt.toISOString(), reference: `lead ${newest.id}` };
}
