import { z } from 'zod';
import { createSuppressions } from '../../../core/domain/consent/suppressions.ts';
import { defineOperation, orPage } from '../../http/operation.ts';
import { pageLanguageOf } from '../../http/request-headers.ts';
import { optOutErrorPage, optOutPage, optOutRequest, requireOptOutLink } from './opt-out-page.ts';

/** The field that mail programs send (RFC 8058 section 3.1); the page's form has none. */
const OneClick = z
  .object({ 'List-Unsubscribe': z.string().max(20).optional().describe('`One-Click`.') })
  .meta({ additionalProperties: true })
  .prefault({});

export default defineOperation({
  summary:
    'Stop marketing to a person, with the button of the opt-out page or the one-click header of a mail (RFC 8058).',
  id: 'telephony.optOut',
  route: 'POST /opt-out/{contact}',
  // The link is signed.
  scope: null,
  style: 'page-form',
  request: { ...optOutRequest, body: OneClick },
  answers: { 200: { description: 'Marketing is stopped.', contentType: 'text/html' }, 403: orPage, 422: orPage },
  problems: { forbidden: 'The signature is not valid.' },
  async handle({ params: { contact }, query: { signature } }, { services, request }) {
    await requireOptOutLink(contact, signature, services.secrets);
    const by = { kind: 'person', name: 'opt-out link', requestId: request.id } as const;
    await createSuppressions(services.database).add(contact, 'opt-out-link', by);
    return await optOutPage(true, pageLanguageOf(request));
  },
  errorPage: optOutErrorPage,
});
