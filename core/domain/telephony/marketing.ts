/** The rules of marketing by SMS: permitted hours, evidence of consent, no opted-out number, a way to opt out. */
import type { Crm } from '../../integrations/crm/system.ts';
import type { SmsGateway } from '../../integrations/sms-gateway/system.ts';
import type { Database } from '../../postgres/client.ts';
import type { ServiceSecrets } from '../../postgres/service-secrets.ts';
import { type Fault, ServiceError } from '../../runtime/errors.ts';
import {
  isWithinHours,
  parseSendingHours,
  secondsUntilDubaiMidnight,
  secondsUntilHours,
} from '../../values/dubai-time.ts';
import { hashOf } from '../consent/contact.ts';
import { type Consent, requireConsent } from '../consent/evidence.ts';
import { createSuppressions } from '../consent/suppressions.ts';

export const optOutPlaceholder = '{optout}';

export interface MarketingServices {
  database: Database;
  secrets: ServiceSecrets;
  gateway: SmsGateway;
  /** Undefined: not configured here. */
  crm: Crm | undefined;
}

/**
 * @param to E.164
 * @returns the evidence, to be stored with the message
 * @throws ServiceError message-not-permitted, consent-missing; UpstreamError if the CRM fails
 */
export async function requireMarketing(
  { database, secrets, gateway, crm }: MarketingServices,
  { to, consent }: { to: string; consent?: Consent | undefined },
  now: Date,
): Promise<Consent> {
  requireSendingHours(gateway.config, now);
  if (await createSuppressions(database).find(await hashOf(to, secrets)))
    throw new ServiceError('message-not-permitted', 'This person opted out of marketing.');
  return await requireConsent(consent, to, crm);
}

/** Marketing must say how to stop it, and service messages must not offer to. */
export function* optOutFaults(text: string, kind: 'service' | 'marketing', isRequired: boolean): Iterable<Fault> {
  const isPlaced = text.includes(optOutPlaceholder);
  if (kind === 'marketing' && isRequired && !isPlaced)
    yield { pointer: '/text', detail: `must contain ${optOutPlaceholder}, the link that stops marketing` };
  if (kind === 'service' && isPlaced)
    yield { pointer: '/text', detail: `has ${optOutPlaceholder}, which is for marketing only` };
}

export const contactedToday = (now: Date): ServiceError =>
  new ServiceError('message-not-permitted', 'This person already got a marketing message today (Asia/Dubai).', {
    retryAfterSeconds: secondsUntilDubaiMidnight(now),
  });

function requireSendingHours({ SMS_MARKETING_HOURS }: SmsGateway['config'], now: Date): void {
  const hours = parseSendingHours(SMS_MARKETING_HOURS);
  if (hours && isWithinHours(hours, now)) return;
  throw new ServiceError(
    'message-not-permitted',
    `Marketing SMS may be sent from ${SMS_MARKETING_HOURS.replace('-', ' to ')} in Dubai only.`,
    hours && { retryAfterSeconds: secondsUntilHours(hours, now) },
  );
}
