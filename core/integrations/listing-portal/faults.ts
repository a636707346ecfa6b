/** Reads the listing portal's errors: problem documents of the API, told apart from pages of the CDN before it. */
import { isHtml, type RawAnswer } from '../kit/answer.ts';
import { type Fault, faultByStatus, readRetryAfter } from '../kit/fault.ts';
import { WireProblem } from './wire.ts';

/** The portal counts by the minute and does not promise to say how long to wait. */
const waitAfterLimitMs = 5_000;

export function readFault(answer: RawAnswer): Fault | undefined {
  const fault = faultByStatus(answer);
  // A page, such as the CDN's 403, says nothing about our call: it passes.
  if (!fault || isHtml(answer)) return fault;
  const { type: code, title, detail: message = title } = WireProblem.catch({}).parse(answer.json());
  return {
    ...fault,
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
    ...(fault.verdict === 'limit' && { retryAfterMs: readRetryAfter(answer) ?? waitAfterLimitMs }),
  };
}
