/** Times one call to an outside system and makes a span of it: the system, the verb and what came of it, no address. */
import { outsideCallSeconds } from './meter.ts';
import { inSpan } from './spans.ts';

export interface OutsideCall {
  system: string;
  /** The HTTP method, or what is done where it is not HTTP. */
  method: string;
  /** Holds no secret and no person's data. */
  path?: string;
}

/**
 * @param send one try
 * @param statusOf absent: an answer has no status, and whatever comes is a good one
 */
export async function meteredCall<T>(
  { system, method, path }: OutsideCall,
  send: () => Promise<T>,
  statusOf?: (answer: T) => number,
): Promise<T> {
  const attributes = { 'portal.system': system, 'http.request.method': method, 'portal.path': path };
  return await inSpan(`${system} ${method}`, { role: 'client', attributes }, async span => {
    const stop = outsideCallSeconds.startTimer({ system, method });
    try {
      const answer = await send();
      const status = statusOf?.(answer);
      stop({ status: status === undefined ? 'ok' : `${Math.floor(status / 100)}xx` });
      span?.set({ 'http.response.status_code': status });
      return answer;
    } catch (error) {
      stop({ status: 'none' });
      throw error;
    }
  });
}
