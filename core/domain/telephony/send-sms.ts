/**
 * Sends an SMS once: number and text checked → allowed by registry, hours and the client's cap → link → gateway. The
 * effects ledger holds it together: for one key nothing is sent twice, whatever breaks, and a message of which nobody
 * can tell whether it went out is not tried again.
 */
import { createHash } from 'node:crypto';
import { SegmentedMessage } from 'sms-segments-calculator';
import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import type { Effects } from '../../effects/ledger.ts';
import type { DncRegistry } from '../../integrations/dnc-registry/system.ts';
import { UpstreamError } from '../../integrations/kit/upstream-error.ts';
import { marketingPrefix } from '../../integrations/sms-gateway/config.ts';
import type { SmsGateway } from '../../integrations/sms-gateway/system.ts';
import type { Database } from '../../postgres/client.ts';
import { type Fault, ServiceError } from '../../runtime/errors.ts';
import {
  isWithinHours,
  parseSendingHours,
  secondsUntilDubaiMidnight,
  secondsUntilHours,
  startOfDubaiDay,
} from '../../values/dubai-time.ts';
import { toE164 } from '../../values/phone-number.ts';
import type { Links } from '../links/links.ts';
import { type DncStatus, dncStatuses } from './dnc-status.ts';
import { createSmsMessages } from './sms-repository.ts';

export const SmsKind = z
  .enum(['service', 'marketing'], { error: 'must be service or marketing' })
  .describe('Marketing goes out within permitted hours only, under a sender marked AD-.');

export interface SmsRequest {
  to: string;
  text: string;
  /** Where `{link}` in the text leads. */
  link?: string | undefined;
  kind: z.infer<typeof SmsKind>;
}

export interface SmsServices {
  database: Database;
  effects: Effects;
  links: Links;
  gateway: SmsGateway;
  registry: DncRegistry;
}

const Sent = z.object({ id: z.string(), parts: z.int(), shortUrl: z.string().nullable() });
/** The request is kept as a digest only: text and number are a person's. */
const Kept = Sent.extend({ digest: z.string() });
export type SentMessage = z.infer<typeof Sent> & { to: string; status: 'sent'; repeated: boolean };

/** Names ids after what they stand for (RFC 9562 section 5.5), so that a repeat has the same. */
const messageNamespace = '6f0e6f6c-3f0a-4a44-9a3b-5d7d0a7f0b51';

/** A link of this length stands in for the real one while the parts are counted beforehand. */
const longestShortUrl = 'x'.repeat(60);

/**
 * @param key what makes it the same message; the client's own
 * @throws ServiceError `invalid-input`, `message-not-permitted`, `too-many-requests` (the client's cap), `conflict`
 * (a message of this key may have gone out); UpstreamError when gateway or registry fail
 */
export async function sendSms(
  parts: SmsServices,
  request: SmsRequest,
  { clientId, key }: { clientId: string; key: string },
): Promise<SentMessage> {
  const to = checkedRecipient(request, parts.gateway.config.SMS_MAX_PARTS);
  const digest = digestOf(request, to);
  const id = `sms_${uuidv5(`${clientId}:${key}`, messageNamespace)}`;
  const { result, repeated } = await parts.effects.once({
    key: `sms:${clientId}:${key}`,
    kind: 'sms-sent',
    system: 'sms-gateway',
    result: Kept,
    execute: async () => ({ ...(await permitAndSend(parts, { ...request, to, id, clientId })), digest }),
  });
  if (result.digest !== digest)
    throw new ServiceError(
      'invalid-input',
      'This Idempotency-Key was sent before with another message; use a new one.',
    );
  return { ...Sent.parse(result), to, status: 'sent', repeated };
}

const digestOf = ({ text, link, kind }: SmsRequest, to: string): string =>
  createHash('sha256')
    .update(JSON.stringify([to, text, link, kind]))
    .digest('hex');

interface Checked extends SmsRequest {
  id: string;
  clientId: string;
}

/** @returns E.164 */
function checkedRecipient({ to, text, link }: SmsRequest, maxParts: number): string {
  const faults: Fault[] = [];
  const e164 = toE164(to);
  if (e164 === undefined)
    faults.push({ pointer: '/to', detail: 'is no phone number; write it as +971501234567' });
  if (text.trim() === '') faults.push({ pointer: '/text', detail: 'must not be empty' });
  const placed = text.includes(linkPlaceholder);
  if (placed && link === undefined)
    faults.push({ pointer: '/link', detail: `must be given, because the text has ${linkPlaceholder}` });
  if (!placed && link !== undefined)
    faults.push({ pointer: '/text', detail: `must have ${linkPlaceholder} where the link goes` });
  const counted = partsOf(withLink(text, longestShortUrl));
  if (counted.parts > maxParts)
    faults.push({
      pointer: '/text',
      detail: `takes ${counted.parts} SMS (${counted.encoding}); at most ${maxParts} are sent`,
    });
  if (faults.length === 0 && e164 !== undefined) return e164;
  throw new ServiceError('invalid-input', 'The message cannot be sent like this.', { faults });
}

async function permitAndSend(parts: SmsServices, message: Checked): Promise<z.infer<typeof Sent>> {
  const now = new Date();
  const { config } = parts.gateway;
  if (message.kind === 'marketing') requireSendingHours(config, now);
  const dnc = await requireNotListed(parts, message);
  const shortUrl = await shortUrlFor(parts.links, message);
  const text = shortUrl === null ? message.text : withLink(message.text, shortUrl);
  const sender = message.kind === 'marketing' ? marketingPrefix + config.SMS_SENDER : config.SMS_SENDER;
  const { parts: count } = partsOf(text);

  const messages = createSmsMessages(parts.database);
  const { id, clientId, kind } = message;
  const dncCheckedAt = dnc?.checkedAt ? new Date(dnc.checkedAt) : null;
  const row = { id, clientId, kind, sender, parts: count, dncCheckedAt };
  if (!(await messages.reserve(row, startOfDubaiDay(now), config.SMS_PARTS_PER_CLIENT_DAY)))
    throw dayUsedUp(config.SMS_PARTS_PER_CLIENT_DAY, now);
  try {
    await parts.gateway.send({ id, to: message.to, text, sender });
  } catch (error) {
    const mayBeSent =
      error instanceof UpstreamError ? error.failure.maybeExecuted : !(error instanceof ServiceError);
    await (mayBeSent ? messages.settle(id, 'unknown') : messages.release(id));
    throw mayBeSent ? perhapsSent(error) : error;
  }
  await messages.settle(id, 'sent');
  return { id, parts: count, shortUrl };
}

function requireSendingHours({ SMS_MARKETING_HOURS }: SmsGateway['config'], now: Date): void {
  const hours = parseSendingHours(SMS_MARKETING_HOURS);
  if (hours && isWithinHours(hours, now)) return;
  throw new ServiceError(
    'message-not-permitted',
    `Marketing SMS may be sent from ${SMS_MARKETING_HOURS.replace('-', ' to ')} in Dubai only.`,
    hours && { retryAfterSeconds: secondsUntilHours(hours, now) },
  );
}

/** A number of which the registry could not tell counts as listed. */
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
      : 'Whether the number is on the do-not-call registry could not be told; it counts as listed.',
  );
}

async function shortUrlFor(links: Links, { link, id, clientId }: Checked): Promise<string | null> {
  if (link === undefined) return null;
  const draft = { kind: 'sms', name: 'SMS', url: link, reference: id, clientId } as const;
  const [made] = await links.create([draft], { findExisting: true }).catch(error => {
    throw atLink(error);
  });
  return made?.link.shortUrl ?? null;
}

/** Faults of the link's address, told where the caller wrote it. */
function atLink(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'invalid-input') return error;
  const faults = error.faults.map(({ detail }) => ({ pointer: '/link', detail }));
  return new ServiceError('invalid-input', 'The message cannot be sent like this.', { faults });
}

const dayUsedUp = (parts: number, now: Date): ServiceError =>
  new ServiceError(
    'too-many-requests',
    `This client may send ${parts} SMS parts a day in Dubai; they are used up.`,
    {
      retryAfterSeconds: secondsUntilDubaiMidnight(now),
    },
  );

/** Still an error of which the ledger knows that it may have run. */
const perhapsSent = (cause: unknown): UpstreamError =>
  new UpstreamError(
    'upstream-timeout',
    'The SMS gateway did not say whether it took the message. It may have been sent, and is not sent again for this key.',
    { system: 'sms-gateway', transient: false, maybeExecuted: true, cause },
  );

export const linkPlaceholder = '{link}';

/** In 3GPP TS 23.038's 7-bit alphabet 160 characters, or 153 in each of several parts; otherwise 70, or 67. */
export function partsOf(text: string): { parts: number; encoding: 'GSM-7' | 'UCS-2' } {
  const message = new SegmentedMessage(text, 'auto');
  return { parts: message.segmentsCount, encoding: message.encodingName === 'GSM-7' ? 'GSM-7' : 'UCS-2' };
}

export const withLink = (text: string, shortUrl: string): string =>
  text.replaceAll(linkPlaceholder, () => shortUrl);
