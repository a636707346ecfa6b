import { z } from 'zod';
import { isSigned } from '../../../core/domain/links/signed-link.ts';
import { type ErrorCode, invalidInput, ServiceError } from '../../../core/runtime/errors.ts';
import { openNotice, openPage, type Page } from '../../http/html-page.ts';
import { messageOf } from '../../http/input-messages.ts';
import { openQuery } from '../../http/input-schema.ts';
import { type Call, defineOperation, orPage } from '../../http/operation.ts';
import { toPointer } from '../../http/parse-input.ts';
import { pageLanguageOf } from '../../http/request-headers.ts';
import { LinkExpires, LinkSignature } from '../../http/signed-link.ts';
import { bearerToken, requireScope } from '../../plugins/bearer.ts';
import { CampaignParams, ClicksQuery, campaignClicks, findCampaign } from './get-campaign-clicks.ts';
import { reportTexts } from './report-texts.ts';
import { reportView } from './report-view.ts';

const scope = 'links:read';
let page: Promise<Page> | undefined;

const ReportQuery = z
  .object({
    from: z.string().max(40).optional().describe('First day; absent: the day of the creation.'),
    to: z.string().max(40).optional().describe('Last day; absent: today.'),
    timeZone: z.string().max(64).optional().describe('IANA time zone of the days.'),
    expires: LinkExpires.optional().describe('From the link.'),
    signature: LinkSignature.optional().describe('From the link.'),
  })
  .meta(openQuery);
type ReportQuery = z.infer<typeof ReportQuery>;

export default defineOperation({
  summary:
    'Open the page with a campaign’s clicks, with a link of `POST …/report-links`, or with a token that has the scope `links:read`.',
  id: 'links.openReport',
  route: 'GET /apps/links/v1/campaigns/{id}/report',
  // Browsers send no token: the handler checks the signature or the token.
  scope: null,
  request: { params: CampaignParams, query: ReportQuery },
  answers: {
    200: { description: 'The page.', contentType: 'text/html' },
    ...Object.fromEntries([401, 403, 404, 410, 422].map(status => [status, orPage])),
  },
  problems: {
    unauthorized: 'No valid signature and no live token.',
    'insufficient-scope': `The token lacks the scope \`${scope}\`.`,
    gone: 'The link to the report has expired.',
    'service-unavailable': 'The database is unavailable.',
  },
  async handle({ params, query }, call) {
    await authorize(params.id, query, call);
    page ??= openPage('links/report.hbs', 'links/styles.css');
    return (await page).answer(200, await viewOf(params.id, query, call), byLanguage);
  },
  async errorPage({ status, code, title, message, faults: [fault] }, language) {
    const text = fault ? `${fault.pointer.slice(1)} ${fault.detail}.` : message;
    const shown = language === 'ar' ? { ...(arabicNotices[code] ?? arabicFault), isArabic: true } : { title, text };
    return (await openNotice()).answer(status, shown, byLanguage);
  },
});

const byLanguage = { vary: 'Accept, Accept-Language' };

const arabicFault = { title: 'لا يمكن عرض التقرير', text: 'تحقق من الرابط والأيام المطلوبة، ثم حاول مرة أخرى.' };
const arabicNotices: Partial<Record<ErrorCode, typeof arabicFault>> = {
  gone: { title: 'انتهت صلاحية هذا الرابط', text: 'اطلب من المرسل رابطًا جديدًا للتقرير.' },
  unauthorized: {
    title: 'هذا الرابط لا يعمل',
    text: 'لا يُفتح هذا التقرير إلا برابط كامل. اطلب من المرسل رابطًا جديدًا.',
  },
};

/** @throws ServiceError unauthorized, insufficient-scope; gone for an expired link */
async function authorize(id: string, { expires, signature }: ReportQuery, call: Call): Promise<void> {
  const { services, request } = call;
  if (signature !== undefined && expires !== undefined) {
    const link = { purpose: 'report-links', id, expires } as const;
    if (await isSigned(link, signature, services.secrets)) {
      if (link.expires * 1_000 > Date.now()) return;
      throw new ServiceError('gone', 'This link to the report has expired. Ask the sender for a new one.');
    }
  }
  const accessToken = bearerToken(request.headers.authorization);
  const holder = accessToken === undefined ? undefined : await services.oauth.findHolder(accessToken);
  if (holder) return requireScope(holder, scope);
  throw new ServiceError(
    'unauthorized',
    'This report opens only with a signed link. Request one with a token: POST to report-links instead of report.',
    { headers: { 'www-authenticate': 'Bearer realm="portal-service"' } },
  );
}

async function viewOf(campaignId: string, query: ReportQuery, { services, request }: Call): Promise<object> {
  const { expires, signature, ...asked } = query;
  const campaign = await findCampaign(campaignId, services);
  const { data, error } = ClicksQuery.safeParse(asked, { error: messageOf });
  if (error) {
    const faults = error.issues.map(({ path, message }) => ({ pointer: toPointer(path), detail: message }));
    throw invalidInput(faults, 'The days are invalid.');
  }
  const report = await campaignClicks(campaign, data, services);
  const hidden = {
    ...(expires !== undefined && { expires: String(expires) }),
    ...(signature !== undefined && { signature }),
  };
  const language = pageLanguageOf(request);
  return { ...reportView(report, hidden, reportTexts(language)), isArabic: language === 'ar' };
}
