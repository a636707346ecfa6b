import { z } from 'zod';
import { shortUrlOf } from '../../../core/domain/links/link.ts';
import { slugKey } from '../../../core/domain/links/slug.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { openNotice } from '../../http/html-page.ts';
import { openQuery } from '../../http/input-schema.ts';
import { type Answer, type Call, defineOperation, orPage } from '../../http/operation.ts';
import { acceptsHtml, pageLanguageOf } from '../../http/request-headers.ts';
import { isLive } from '../../redirect/link-cache.ts';
import { redirectHeaders } from '../../redirect/redirects.ts';

export default defineOperation({
  summary: 'Open a short link: redirects to its target and counts the click. `HEAD` is not counted.',
  id: 'links.open',
  route: 'GET /r/{slug}',
  scope: null,
  request: {
    params: z.object({
      slug: z
        .string()
        .describe('Last segment of the short link; ignores case.')
        .meta({ examples: ['palm-launch'] }),
    }),
    query: z
      .object({ via: z.literal('qr').optional().catch(undefined).describe('Set in QR codes, to count scans.') })
      .meta(openQuery),
  },
  answers: {
    302: {
      description: 'To the target, with its UTM parameters. Not cacheable, to count every click.',
      headers: ['Location'],
    },
    404: orPage,
    410: orPage,
  },
  problems: {
    'not-found': 'There is no such link.',
    gone: 'The link has expired.',
    'service-unavailable': 'The database is unavailable.',
  },
  async handle({ params, query }, call) {
    const { redirects } = call.services;
    const found = redirects.find(slugKey(params.slug));
    const link = found instanceof Promise ? await found : found;
    if (!link) return await unknownLink(params.slug, call);
    if (!isLive(link)) {
      return problemOrPageOf(call, new ServiceError('gone', 'This link has expired.'), {
        en: { title: 'This link has expired', text: 'This address is no longer in use.' },
        ar: { title: 'انتهت صلاحية هذا الرابط', text: 'لم يعد هذا العنوان مستخدمًا.' },
      });
    }
    const { method, ip: address, headers } = call.request;
    if (method === 'GET') redirects.click(link.id, { address, headers }, query.via === 'qr');
    return { status: 302, headers: { location: link.target, ...redirectHeaders } };
  },
});

async function unknownLink(slug: string, call: Call): Promise<Answer> {
  const suggested = await call.services.redirects.suggest(slug);
  const href = suggested === undefined ? undefined : shortUrlOf(suggested, call.services.publicUrl);
  const hint = href === undefined ? 'Check it for a wrong character.' : `Did you mean ${href}?`;
  return problemOrPageOf(call, new ServiceError('not-found', `There is no such link. ${hint}`), {
    en: { title: 'There is no such link', text: 'Check the address for a missing or a wrong character.' },
    ar: { title: 'لا يوجد هذا الرابط', text: 'تحقق من العنوان: قد ينقصه حرف أو يكون فيه حرف خاطئ.' },
    ...(href !== undefined && { suggestion: { href, text: href.replace(/^https?:\/\//, '') } }),
  });
}

/** A page for browsers; the problem document for other clients. */
async function problemOrPageOf(
  call: Call,
  error: ServiceError,
  { en, ar, ...view }: Record<'en' | 'ar', object> & { suggestion?: object },
): Promise<Answer> {
  if (!acceptsHtml(call.request)) throw error;
  const isArabic = pageLanguageOf(call.request) === 'ar';
  const shown = { ...view, ...(isArabic ? ar : en), isArabic };
  return (await openNotice()).answer(error.status, shown, { vary: 'Accept, Accept-Language' });
}
