/**
 * Sends an SMS exactly once per key: checks number and text, then the rules of marketing, the registry and the client's daily
 * cap, creates the links, and calls the gateway. The effects ledger prevents a second send; a message with an unknown outcome
 * is not retried.
 */
import { hash } from 'node:crypto';
import { SegmentedMessage } from 'sms-segments-calculator';
import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import type { Effects } from '../../effects/ledger.ts';
import type { DncRegistry } from '../../integrations/dnc-registry/system.ts';
import { UpstreamError } from '../../integrations/kit/upstream-error.ts';
import { marketingPrefix } from '../../integrations/sms-gateway/system.ts';
import { type Fault, invalidInput, ServiceError } from '../../runtime/errors.ts';
import { dubaiDayOf, secondsUntilDubaiMidnight, startOfDubaiDay } from '../../values/dubai-time.ts';
import { toE164 } from '../../values/phone-number.ts';
import { hashOf } from '../consent/contact.ts';
import type { Consent } from '../consent/evidence.ts';
import { optOutUrl } from '../consent/opt-out-link.ts';
import type { Links } from '../links/links.ts';
import { type DncStatus, dncStatuses } from './dnc-status.ts';
import {
  contactedToday,
  type MarketingServices,
  optOutFaults,
  optOutPlaceholder,
  requireMarketing,
} from './marketing.ts';
import { createSmsMessages } from './sms-repository.ts';

export const SmsKind = z
  .enum(['service', 'marketing'], { error: 'must be service or marketing' })
  .describe(
    'Marketing needs evidence of consent, goes to each number once a day, within permitted hours, by a sender with the prefix AD-.',
  );

export interface SmsRequest {
  to: string;
  text: string;
  /** The target of `{link}` in the text. */
  link?: string | undefined;
  kind: z.infer<typeof SmsKind>;
  /** Evidence for marketing; absent: that of the CRM. */
  consent?: Consent | undefined;
}

interface SmsServices extends MarketingServices {
  effects: Effects;
  links: Links;
  /** Public URL with the base path. */
  base: string;
  registry: DncRegistry;
}

const Sent = z.object({ id: z.string(), parts: z.int(), shortUrl: z.string().nullable() });
/** The request is stored as a digest only: text and number are personal data. */
const StoredResult = Sent.extend({ digest: z.string() });
export type SentMessage = z.infer<typeof Sent> & { to: string; status: 'sent'; repeated: boolean };

/** UUID version 5 (RFC 9562 §5.5): a repeat gets the same id. */
const messageNamespace = '6f0e6f6c-3f0a-4a44-9a3b-5d7d0a7f0b51';

/** Placeholder of the maximum length for counting the parts before the link exists. */
const maxShortUrl = 'x'.repeat(60);

/**
 * @param key identifies the message; chosen by the client
 * @throws ServiceError `invalid-input`, `message-not-permitted`, `too-many-requests` (the client's cap), `conflict`
 * (a message with this key may have been sent); UpstreamError if the gateway or the registry fails
 */
export async function sendSms(
  services: SmsServices,
  request: SmsRequest,
  { clientId, key }: { clientId: string; key: string },
): Promise<SentMessage> {
  const to = checkedRecipient(request, services.gateway.config);
  const digest = digestOf(request, to);
  const id = `sms_${uuidv5(`${clientId}:${key}`, messageNamespace)}`;
  const { result, repeated } = await services.effects.once({
    key: `sms:${clientId}:${key}`,
    kind: 'sms-sent',
    system: 'sms-gateway',
    result: StoredResult,
    execute: async () => ({ ...(await permitAndSend(services, { ...request, to, id, clientId })), digest }),
  });
  if (result.digest !== digest)
    throw new ServiceError(
      'idempotency-key-reused',
      'This Idempotency-Key was used with another message; use a new key.',
    );
  return { ...Sent.parse(result), to, status: 'sent', repeated };
}

export const linkPlaceholder = '{link}';

/** A part has 160 characters of the 7-bit alphabet of 3GPP TS 23.038, or 153 if there are several; otherwise 70 or 67. */
export function partsOf(text: string): { parts: number; encoding: 'GSM-7' | 'UCS-2' } {
  const message = new SegmentedMessage(text, 'auto');
  return { parts: message.segmentsCount, encoding: message.encodingName === 'GSM-7' ? 'GSM-7' : 'UCS-2' };
}

export const withLinks = (text: string, shortUrl: string | null, optOut: string | null): string =>
  text.replaceAll(linkPlaceholder, () => shortUrl ?? '').replaceAll(optOutPlaceholder, () => optOut ?? '');

const digestOf = ({ text, link, kind }: SmsRequest, to: string): string =>
  hash('sha256', JSON.stringify([to, text, link, kind]));

interface Checked extends SmsRequest {
  id: string;
  clientId: string;
}

/** @returns E.164 */
function checkedRecipient(
  { to, text, link, kind }: SmsRequest,
  { SMS_MAX_PARTS: maxParts, SMS_OPTOUT_REQUIRED }: MarketingServices['gateway']['config'],
): string {
  const faults: Fault[] = [];
  const e164 = toE164(to);
  if (e164 === undefined) faults.push({ pointer: '/to', detail: 'is not a phone number; write it as +971501234567' });
  if (text.trim() === '') faults.push({ pointer: '/text', detail: 'must not be empty' });
  const placed = text.includes(linkPlaceholder);
  if (placed && link === undefined)
    faults.push({ pointer: '/link', detail: `is required, because the text has ${linkPlaceholder}` });
  if (!placed && link !== undefined)
    faults.push({ pointer: '/text', detail: `must contain ${linkPlaceholder}, because a link is given` });
  faults.push(...optOutFaults(text, kind, SMS_OPTOUT_REQUIRED));
  const counted = partsOf(withLinks(text, maxShortUrl, maxShortUrl));
  if (counted.parts > maxParts)
    faults.push({
      pointer: '/text',
      detail: `takes ${counted.parts} SMS (${counted.encoding}); the maximum is ${maxParts}`,
    });
  if (faults.length === 0 && e164 !== undefined) return e164;
  throw invalidInput(faults, 'The message is invalid.');
}

async function permitAndSend(services: SmsServices, message: Checked): Promise<z.infer<typeof Sent>> {
  const now = new Date();
  const { config } = services.gateway;
  const isMarketing = message.kind === 'marketing';
  const consent = isMarketing ? await requireMarketing(services, message, now) : null;
  const dnc = await requireNotListed(services, message);
  const shortUrl = message.link === undefined ? null : await shortUrlFor(services.links, message, message.link);
  const text = withLinks(message.text, shortUrl, await shortOptOutUrl(services, message));
  const sender = isMarketing ? marketingPrefix + config.SMS_SENDER : config.SMS_SENDER;
  const { parts: count } = partsOf(text);

  const messages = createSmsMessages(services.database);
  const { id, clientId, kind } = message;
  const dncCheckedAt = dnc?.checkedAt ? new Date(dnc.checkedAt) : null;
  const contact = await hashOf(message.to, services.secrets);
  const marketingDay = isMarketing ? dubaiDayOf(now) : null;
  const row = { id, clientId, kind, sender, parts: count, dncCheckedAt, contact, consent, marketingDay };
  const reserved = await messages.reserve(row, startOfDubaiDay(now), config.SMS_PARTS_PER_CLIENT_DAY);
  if (reserved === 'contacted') throw contactedToday(now);
  if (reserved === 'cap') throw dailyCapReached(config.SMS_PARTS_PER_CLIENT_DAY, now);
  try {
    await services.gateway.send({ id, to: message.to, text, sender });
  } catch (error) {
    const maybeSent = error instanceof UpstreamError ? error.maybeExecuted : !(error instanceof ServiceError);
    await (maybeSent ? messages.settle(id, 'unknown') : messages.release(id));
    throw maybeSent ? outcomeUnknown(error) : error;
  }
  await messages.settle(id, 'sent');
  return { id, parts: count, shortUrl };
}

/** A number with an unknown status counts as listed. */
async function requireNotListed(
  { database, registry, gateway }: SmsServices,
  { to, kind, clientId }: Checked,
): Promise<DncStatus | undefined> {
  if (kind === 'service' && gateway.config.SMS_SERVICE_SKIPS_REGISTRY) return undefined;
  const [status] = await dncStatuses(database, registry, { numbers: [to], refresh: false, clientId });
  if (status?.status === 'clear') return status;
  throw new ServiceError(
    'message-not-permitted',
    status?.status === 'listed'
      ? 'The number is on the do-not-call registry.'
      : 'The do-not-call registry could not tell the status of the number; it counts as listed.',
  );
}

async function shortOptOutUrl({ links, base, secrets }: SmsServices, message: Checked): Promise<string | null> {
  if (!message.text.includes(optOutPlaceholder)) return null;
  const optOut = { id: `${message.id}/opt-out`, clientId: message.clientId };
  return await shortUrlFor(links, optOut, await optOutUrl(message.to, base, secrets));
}

async function shortUrlFor(
  links: Links,
  { id, clientId }: Pick<Checked, 'id' | 'clientId'>,
  url: string,
): Promise<string | null> {
  const draft = { kind: 'sms', name: 'SMS', url, reference: id, clientId } as const;
  const [made] = await links.create([draft], { findExisting: true }).catch(error => {
    throw withLinkPointer(error);
  });
  return made?.link.shortUrl ?? null;
}

/** Faults of the link's URL, with the pointer of this request. */
function withLinkPointer(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'invalid-input') return error;
  const faults = error.faults.map(({ detail }) => ({ pointer: '/link', detail }));
  return invalidInput(faults, 'The message is invalid.');
}

const dailyCapReached = (parts: number, now: Date): ServiceError =>
  new ServiceError(
    'too-many-requests',
    `This client may send ${parts} SMS parts per day (Asia/Dubai); they are used up.`,
    { retryAfterSeconds: secondsUntilDubaiMidnight(now) },
  );

/** For the ledger, the message may have been sent. */
const outcomeUnknown = (cause: unknown): UpstreamError =>
  new UpstreamError(
    'upstream-timeout',
    'The SMS gateway did not confirm the message. It may have been sent, and is not sent again for this key.',
    { kind: 'unclear', system: 'sms-gateway', cause },
  );
