/** Signs messages as Standard Webhooks 1.0 define (symmetric signatures). */
import { createHmac } from 'node:crypto';

/**
 * @param id the same for each try of a message, so that receivers recognise repeats
 * @param secrets `whsec_…`; a receiver can verify with any of them
 * @param at now: receivers reject old timestamps as replays
 */
export function signMessage(id: string, body: string, secrets: readonly string[], at: Date) {
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
