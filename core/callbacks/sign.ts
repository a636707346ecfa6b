/** Signs messages as Standard Webhooks describe (version 1.0, symmetric signatures). */
import { createHmac } from 'node:crypto';

export interface SignedHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/**
 * @param id the same for each try of a message: receivers tell repetitions by it
 * @param secrets `whsec_…`; with several, a receiver that knows any of them can verify
 * @param at now, or receivers take the message for an old one that is sent again by someone else
 */
export function signMessage(id: string, body: string, secrets: readonly string[], at: Date): SignedHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
