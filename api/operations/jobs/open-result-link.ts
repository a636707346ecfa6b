import { z } from 'zod';
import { isSigned } from '../../../core/domain/links/signed-link.ts';
import { type ErrorCode, ServiceError } from '../../../core/runtime/errors.ts';
import { openNotice } from '../../http/html-page.ts';
import { QueryFlag } from '../../http/input-fields.ts';
import { openQuery } from '../../http/input-schema.ts';
import { defineOperation, orPage } from '../../http/operation.ts';
import { acceptsHtml } from '../../http/request-headers.ts';
import { LinkExpires, LinkSignature } from '../../http/signed-link.ts';
import { JobParams } from '../../jobs/job-access.ts';
import { resultAnswers, resultProblems, sendResultFile } from '../../jobs/job-result.ts';

export default defineOperation({
  summary:
    'Open a link of `POST /jobs/{id}/result-link`; answers the same as `GET /jobs/{id}/result`, to be shown in a browser.',
  id: 'jobs.openResultLink',
  route: 'GET /results/{id}',
  scope: null,
  request: {
    params: JobParams,
    query: z
      .object({
        expires: LinkExpires.meta({ examples: [1_769_850_000] }).describe('From the link.'),
        signature: LinkSignature.meta({ examples: ['4Zk2…'] }).describe('From the link.'),
        download: QueryFlag.describe('`true`: browsers save the file instead of showing it. May be added to a link.'),
      })
      .meta(openQuery),
  },
  answers: {
    ...resultAnswers,
    302: {
      description: 'To the file in the bucket, with `RESULT_REDIRECT`; valid for five minutes.',
      headers: ['Location'],
    },
    404: orPage,
    410: orPage,
    422: orPage,
  },
  problems: {
    ...resultProblems,
    gone: 'The link or the result has expired.',
    'service-unavailable': 'The database is unavailable.',
  },
  async handle({ params: { id }, query: { expires, signature, download } }, call) {
    if (!(await isSigned({ purpose: 'result-links', id, expires }, signature, call.services.secrets)))
      throw new ServiceError('not-found', 'There is no such link.');
    if (expires * 1_000 <= Date.now()) throw new ServiceError('gone', 'The link has expired.');
    const job = await call.services.records.find(id);
    if (job?.state !== 'succeeded') throw new ServiceError('gone', 'The result has been deleted.');
    const inline = acceptsHtml(call.request) && !download;
    const answer = await sendResultFile(job, call, { inline, redirect: true });
    return { ...answer, headers: { ...answer.headers, ...privacyHeaders } };
  },
  async errorPage({ status, code }, language) {
    const { [language]: text } = notices[code] ?? unavailable;
    const headers = { ...privacyHeaders, vary: 'Accept, Accept-Language' };
    return (await openNotice()).answer(status, { ...text, isArabic: language === 'ar' }, headers);
  },
});

/** The address grants access: it must not reach other sites or search engines. */
const privacyHeaders = {
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'x-content-type-options': 'nosniff',
};

const wrong = {
  en: {
    title: 'This link does not work',
    text: 'A part of the address is missing or wrong. Check that you copied all of it, or ask its sender for a new link.',
  },
  ar: {
    title: 'هذا الرابط لا يعمل',
    text: 'جزء من العنوان ناقص أو غير صحيح. تحقق من أنك نسخته كاملًا، أو اطلب من المرسل رابطًا جديدًا.',
  },
};
const unavailable = {
  en: { title: 'The file cannot be shown now', text: 'Try again in a few minutes.' },
  ar: { title: 'لا يمكن عرض الملف الآن', text: 'حاول مرة أخرى بعد بضع دقائق.' },
};
const notices: Partial<Record<ErrorCode, typeof wrong>> = {
  'not-found': wrong,
  'invalid-input': wrong,
  gone: {
    en: { title: 'This link has expired', text: 'Ask its sender for a new link.' },
    ar: { title: 'انتهت صلاحية هذا الرابط', text: 'اطلب من المرسل رابطًا جديدًا.' },
  },
};
