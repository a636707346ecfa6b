/** The page behind the opt-out link of marketing: a question with a button, so that link previews stop nothing. */
import { z } from 'zod';
import { isOptOutLink } from '../../../core/domain/consent/opt-out-link.ts';
import type { ServiceSecrets } from '../../../core/postgres/service-secrets.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { openNotice, openPage, type Page } from '../../http/html-page.ts';
import type { Answer } from '../../http/operation.ts';
import type { PageLanguage } from '../../http/request-headers.ts';
import { LinkSignature } from '../../http/signed-link.ts';

export const optOutRequest = {
  params: z.object({
    contact: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
      .describe('From the link.')
      .meta({ examples: ['9f2c'.repeat(16)] }),
  }),
  query: z.object({
    expires: z.literal('0', { error: 'must be 0' }).optional().describe('From the link.'),
    signature: LinkSignature.describe('From the link.').meta({ examples: ['9pQ7Xa'] }),
  }),
};

let page: Promise<Page> | undefined;

const byLanguage = { vary: 'Accept, Accept-Language' };

export async function optOutPage(isDone: boolean, language: PageLanguage): Promise<Answer> {
  page ??= openPage('links/opt-out.hbs', 'links/styles.css');
  return (await page).answer(200, { isDone, isArabic: language === 'ar' }, byLanguage);
}

/** For an incomplete link. */
const arabicNotice = {
  isArabic: true,
  title: 'هذا الرابط غير مكتمل',
  text: 'افتحه مرة أخرى من الرسالة، أو أجب عليها بكلمة «إيقاف».',
};

export async function optOutErrorPage({ status, title, message }: ServiceError, language: PageLanguage) {
  const isIncomplete = status === 403 || status === 422;
  const shown = language === 'ar' && isIncomplete ? arabicNotice : { title, text: message };
  return (await openNotice()).answer(status, shown, byLanguage);
}

/** @throws ServiceError unauthorized */
export async function requireOptOutLink(contact: string, signature: string, secrets: ServiceSecrets): Promise<void> {
  if (await isOptOutLink(contact, signature, secrets)) return;
  throw new ServiceError('forbidden', 'This link is not complete. Open it again from the message, or reply STOP.');
}
