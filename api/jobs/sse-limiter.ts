/** Limits the open event streams per client, and ends them when the process shuts down. */
import { ServiceError } from '../../core/runtime/errors.ts';
import type { SseLimiter } from '../services.ts';

const retryAfterSeconds = 5;
/** Time for streams to end by themselves at shutdown. */
const shutdownMs = 1_000;

export function openSseLimiter(perClient: number): SseLimiter {
  const open = new Map<string, Set<AbortController>>();
  return {
    take(clientId, hangUp) {
      const own = open.get(clientId) ?? new Set();
      if (own.size >= perClient) {
        throw new ServiceError(
          'too-many-requests',
          `A client may have at most ${perClient} open event streams; close one first.`,
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
      const abortAll = () => {
        for (const own of open.values()) for (const slot of own) slot.abort();
      };
      setTimeout(abortAll, shutdownMs).unref();
    },
  };
}
