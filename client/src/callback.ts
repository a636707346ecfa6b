/** Verifies callbacks, which the service signs according to Standard Webhooks 1.0 (HMAC-SHA-256). Needs WebCrypto only. */
import { InvalidOption, PortalError } from './errors.ts';
import { isJob, type Job } from './job.ts';

export interface Callback {
  /** The same for each delivery of the callback: recognises repeats. */
  id: string;
  sentAt: Date;
  /** The job at its end. Its `result` is null when the callback would exceed 20 kB. */
  job: Job;
}

export interface CallbackOptions {
  /** Maximum difference between the signed time and now, so that old callbacks cannot be replayed; default 300. */
  toleranceSeconds?: number;
  /** Default: the current time. */
  now?: Date;
}

/** The headers of a `Request`, or in the form of Node.js and serverless platforms. */
export type CallbackHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The callback is not from the service, or is too old: answer 400. */
export class InvalidCallback extends PortalError {
  override readonly name = 'InvalidCallback';
}

/**
 * @param body exactly as received; parsing it and writing it again breaks the signature
 * @param secret `secret` of `GET /jobs/callback-secret`; of several, any one may have signed
 * @throws InvalidCallback
 */
export async function verifyCallback(
  body: string | Uint8Array,
  headers: CallbackHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: CallbackOptions = {},
): Promise<Callback> {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now.getTime() / 1_000 - seconds) <= toleranceSeconds)) {
    throw new InvalidCallback(
      `"webhook-timestamp" must be within ${toleranceSeconds} seconds of now; it is ${timestamp}.`,
    );
  }
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const signatures = header(headers, 'webhook-signature').split(' ');
  for (const key of await Promise.all([secret].flat().map(importKey))) {
    for (const signature of signatures) {
      if (await isSignedWith(key, signature, content))
        return { id, sentAt: new Date(seconds * 1_000), job: jobIn(text) };
    }
  }
  throw new InvalidCallback('"webhook-signature" does not match the body and the secret.');
}

function header(headers: CallbackHeaders, name: string): string {
  const entries: Iterable<[string, unknown]> = Symbol.iterator in headers ? headers : Object.entries(headers);
  const value = [...entries].find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidCallback(`The header "${name}" must be present once.`);
}

async function importKey(secret: string): Promise<CryptoKey> {
  const key = fromBase64(secret.replace(/^whsec_/, ''));
  if (!key?.length)
    throw new InvalidOption('The secret must be that of GET /jobs/callback-secret: "whsec_" and base64.');
  return await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** `crypto.subtle.verify` compares in constant time. */
async function isSignedWith(key: CryptoKey, signature: string, content: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const mac = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : undefined;
  return mac !== undefined && (await crypto.subtle.verify('HMAC', key, mac, content));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function jobIn(text: string): Job {
  const job: unknown = JSON.parse(text);
  if (isJob(job)) return job;
  throw new InvalidCallback('The body must be a job.');
}
