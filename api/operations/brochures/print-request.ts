/** The members of all requests that print; their job, and that of the mail. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { JobInput } from '../../../core/jobs/record.ts';
import { toJobInput } from '../../../core/jobs/repository/inputs.ts';
import { countPoint } from '../../../core/rate-limits/rate-limits.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import {
  CropMarks,
  Deliver,
  Gallery,
  OnError,
  PageLanguage,
  Pages,
  Quality,
  Strict,
} from '../../../workers/pdf/contract.ts';
import { ListingList } from '../../../workers/pdf/listing.ts';
import type { Call } from '../../http/operation.ts';
import { requireScope } from '../../plugins/bearer.ts';
import { acceptListings, checkListings, type ListingRequest, pdfProblems } from './pdf-request.ts';

export const PrintRequest = z.object({
  ...ListingList.shape,
  onError: OnError.describe(
    'For a photo that is not available: `placeholder` prints a placeholder and adds a warning, `fail` fails the job.',
  ),
  strict: Strict,
  quality: Quality,
  cropMarks: CropMarks,
  pages: Pages,
  gallery: Gallery,
  language: PageLanguage.describe(
    'Language of labels: `en`, `ar` (right-to-left layout), or `both`. The texts of listings are not translated.',
  ),
  brand: z
    .string()
    .max(100)
    .optional()
    .describe('Name of the brand; `GET /brands` lists them. Default: the company’s own.'),
  deliver: Deliver,
});

type Delivery = z.output<typeof Deliver>;
type Request = ListingRequest & { deliver?: Delivery };

export const printProblems = {
  ...pdfProblems,
  'insufficient-scope': 'The access token lacks the scope `pdf`, or `pdf:mail` for `deliver`.',
  'system-not-configured': 'For `deliver`: no mail server is set.',
  'consent-missing': 'For `deliver`: marketing without `consent`.',
} as const;

/** @throws the errors of `acceptListings`, `checkMail` and `countRecipients` */
export async function acceptPrint<R extends Request>(request: R, call: Call) {
  const { list, deliver, ...options } = request;
  checkMail(deliver, call);
  const { payload, inputs } = await acceptListings(request, call);
  const mail = deliver && (await mailInput(deliver, call));
  return {
    payload: { ...options, listings: list.length, ...payload, mail: mail?.sha256 },
    inputs: mail ? [...inputs, mail] : inputs,
  };
}

/** For `validateOnly`. @throws the errors of `checkListings` and `checkMail` */
export async function checkPrint(request: Request, call: Call) {
  checkMail(request.deliver, call);
  return await checkListings(request, call);
}

/** @throws ServiceError insufficient-scope, consent-missing; system-not-configured, naming the setting */
function checkMail(deliver: Delivery, { client, services }: Call): void {
  if (!deliver) return;
  requireScope(client, 'pdf:mail');
  if (deliver.email.kind === 'marketing' && !deliver.email.consent)
    throw new ServiceError(
      'consent-missing',
      'Marketing needs evidence that the recipients agreed: send `deliver.email.consent` with source and time.',
    );
  const missing = (['SMTP_URL', 'MAIL_FROM'] as const).filter(name => services.config[name] === undefined);
  if (missing.length === 0) return;
  const detail = `This service sends no mail: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set.`;
  throw new ServiceError('system-not-configured', detail, { retryAfterSeconds: 3_600 });
}

/** Counts the recipients. @throws ServiceError too-many-requests */
async function mailInput({ email }: NonNullable<Delivery>, call: Call): Promise<JobInput> {
  const to = [...new Map([email.to].flat().map(address => [address.toLowerCase(), address])).values()];
  await countRecipients(to.length, call);
  // The payload has only the hash: the id makes it unique, so that no other job is answered with the result of this one
  // instead of sending its own mail, and the addresses cannot be found by trying.
  return toJobInput({ ...email, to, id: randomUUID() });
}

async function countRecipients(count: number, { client, services }: Call): Promise<void> {
  const limiter = services.limits.mailRecipients;
  const counted = await countPoint(limiter, client.clientId, count);
  if (!counted.isExceeded) return;
  await limiter.reward(client.clientId, count);
  const detail = `A client may send brochures to ${limiter.points} recipients within 24 hours (MAIL_RECIPIENTS_PER_CLIENT_DAY).`;
  const retryAfterSeconds = Math.max(1, Math.ceil(counted.count.msBeforeNext / 1_000));
  throw new ServiceError('too-many-requests', detail, { retryAfterSeconds });
}
