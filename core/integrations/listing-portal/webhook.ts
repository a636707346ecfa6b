/** Signatures of the portal's webhooks: HMAC-SHA256 of the body as sent, in hexadecimal digits. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export const signatureHeaders = ['X-Signature', 'X-PropertyFinder-Signature'] as const;
export type SignatureHeader = (typeof signatureHeaders)[number];

/** Sent with the older signature by some deliveries; it is then signed before the body, with a dot between them. */
const timestampHeader = 'x-propertyfinder-timestamp';

export interface Delivery {
  headers: IncomingHttpHeaders;
  /** The bytes as sent. */
  body: Buffer;
}

/** Compares in constant time. */
export function isSigned({ headers, body }: Delivery, secret: string, header: SignatureHeader): boolean {
  const given = /^(?:sha256=)?([0-9a-f]{64})$/i.exec(headers[header.toLowerCase()]?.toString().trim() ?? '')?.[1];
  if (given === undefined) return false;
  const timestamp = header === 'X-Signature' ? undefined : headers[timestampHeader]?.toString();
  const signed = createHmac('sha256', secret).update(timestamp === undefined ? '' : `${timestamp}.`);
  return timingSafeEqual(signed.update(body).digest(), Buffer.from(given, 'hex'));
}
