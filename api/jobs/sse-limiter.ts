/** The event streams that are open in this process: so many a client, and none that holds up the end of the process. */
import { ServiceError } from '../../core/runtime/errors.ts';
import type { SseLimiter } from '../services.ts';

const retryAfterSeconds = 5;
/** How long a stream may take to end when the API shuts down, in ms. */
const stalledMs = 1_000;

export function openSseLimiter(perClient: number): SseLimiter {
  const open = new Map<string, Set<AbortController>>();
  return {
    take(clientId, hangUp) {
      const own = open.get(clientId) ?? new Set();
      if (own.size >= perClient) {
        throw new ServiceError(
          'too-many-requests',
          `A client may have ${perClient} event streams open at once; close one first.`,
          { retryAfterSeconds },
        );
      }
      const slot = new AbortController();
      open.set(clientId, own.add(slot));
      hangUp.addEventListener('abort', () => slot.abort(), { once: true });
      return {
        signal: slot.signal,
        release() {
          own.delete(slot);
          if (own.size === 0 && open.get(clientId) === own) open.delete(clientId);
        },
      };
    },
    close() {
      const cutOff = () => {
        for (const own of open.values()) for (const slot of own) slot.abort();
      };
      setTimeout(cutOff, stalledMs).unref();
    },
  };
}
