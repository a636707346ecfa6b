/** Metrics and a span for one call to an outside system: system, method and result. */
import { outsideCallSeconds } from './meter.ts';
import { inSpan } from './spans.ts';

export interface OutsideCall {
  system: string;
  /** The HTTP method; for other protocols the kind of action. */
  method: string;
  /** Must hold no secret and no personal data. */
  path?: string;
}

/** @param send one attempt @param statusOf absent: the protocol has no status, every answer is a success */
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
