/** What the two operations that send an SMS have in common: POST, and GET for callers that cannot post. */
import { createLinks } from '../../../core/domain/links/links.ts';
import { type SentMessage, type SmsRequest, sendSms } from '../../../core/domain/telephony/send-sms.ts';
import crm from '../../../core/integrations/crm/system.ts';
import dncRegistry from '../../../core/integrations/dnc-registry/system.ts';
import smsGateway from '../../../core/integrations/sms-gateway/system.ts';
import { type Call, effectPending } from '../../http/operation.ts';

export const smsRules =
  'Rejects numbers on the do-not-call registry, numbers whose status the registry cannot return, and marketing without ' +
  'evidence of consent, to people who opted out, twice a day, or outside the permitted hours. A message that the gateway did not answer to is never sent again for the same key.';

export const smsCalls = [smsGateway, dncRegistry, crm];

export const smsProblems = {
  'message-not-permitted': 'The message must not be sent to this number, or not now.',
  'consent-missing': 'There is no evidence that the person agreed to marketing.',
  ...effectPending,
};

export function sendMessage(request: SmsRequest, { services, client }: Call, key: string): Promise<SentMessage> {
  const links = createLinks(services.database, services.publicUrl);
  const gateway = smsGateway.client(services.systems);
  const registry = dncRegistry.client(services.systems);
  const isConfigured = services.systems.sourceOf(crm.configuredBy) !== 'none';
  const ofCrm = isConfigured ? crm.client(services.systems) : undefined;
  const base = services.publicUrl + services.config.BASE_PATH;
  const used = { ...services, links, gateway, registry, base, crm: ofCrm };
  return sendSms(used, request, { clientId: client.clientId, key });
}
