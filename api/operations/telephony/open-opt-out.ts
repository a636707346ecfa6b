import { defineOperation, orPage } from '../../http/operation.ts';
import { pageLanguageOf } from '../../http/request-headers.ts';
import { optOutErrorPage, optOutPage, optOutRequest, requireOptOutLink } from './opt-out-page.ts';

export default defineOperation({
  summary: 'Open the page that asks a person whether to stop marketing, with the link of a marketing message.',
  id: 'telephony.openOptOut',
  route: 'GET /opt-out/{contact}',
  // The link is signed.
  scope: null,
  request: optOutRequest,
  answers: { 200: { description: 'The page.', contentType: 'text/html' }, 403: orPage, 422: orPage },
  problems: { forbidden: 'The signature is not valid.' },
  async handle({ params: { contact }, query: { signature } }, { services, request }) {
    await requireOptOutLink(contact, signature, services.secrets);
    return await optOutPage(false, pageLanguageOf(request));
  },
  errorPage: optOutErrorPage,
});
