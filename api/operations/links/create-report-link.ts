import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import { inSeconds, linkLifetime, SignedLinkResource, signedLinkAnswer } from '../../http/signed-link.ts';
import { CampaignParams, findCampaign } from './get-campaign-clicks.ts';

const day = 24 * 3_600;

export default defineOperation({
  summary: 'Create a link to a campaign’s report that opens in a browser, without a token, until it expires.',
  id: 'links.createReportLink',
  route: 'POST /apps/links/v1/campaigns/{id}/report-links',
  scope: 'links:read',
  request: {
    params: CampaignParams,
    body: z.object({ expiresInSeconds: linkLifetime(90 * day, 7 * day).describe('At most 90 days.') }).prefault({}),
  },
  answers: {
    201: {
      description: 'The link. It gives read access to this campaign’s report only.',
      schema: SignedLinkResource,
      example: {
        url: 'https://portal.example/v2/apps/links/v1/campaigns/0199f3a1-7c55-7a10-b1c5-0d8f4d9f1a20/report?expires=1770454800&signature=9pQ7Xa',
        expiresAt: '2026-02-07T09:00:00.000Z',
      },
    },
  },
  async handle({ params, body }, { services }) {
    const { id } = await findCampaign(params.id, services);
    const expires = inSeconds(body.expiresInSeconds);
    return await signedLinkAnswer(
      { purpose: 'report-links', id, expires },
      `/apps/links/v1/campaigns/${id}/report`,
      services,
    );
  },
});
