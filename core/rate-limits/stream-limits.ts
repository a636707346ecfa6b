/** Limits the open event streams per client, and ends them when the process shuts down. */
import { ServiceError } from '../runtime/errors.ts';

const retryAfterSeconds = 5;
/** Time for streams to end by themselves at shutdown. */
const shutdownMs = 1_000;

export function openSseLimiter(perClient: number) {
  const open = new Map<string, Set<AbortController>>();
  return {
    /**
     * `signal` aborts when the client disconnects or the stream must be closed.
     * @param hangUp aborts when the client disconnects
     * @throws ServiceError too-many-requests
     */
    take(clientId: string, hangUp: AbortSignal): { signal: AbortSignal; release(): void } {
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
    /** For the shutdown: streams end by themselves; after a second, streams with a stalled reader are closed. */
    close(): void {
      const abortAll = () => {
        for (const own of open.values()) for (const slot of own) slot.abort();
      };
      setTimeout(abortAll, shutdownMs).unref();
    },
  };
}
