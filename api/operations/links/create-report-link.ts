import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import { CampaignParams, findCampaign } from './campaign-clicks.ts';
import { reportLink } from './report-link.ts';

const longest = 90 * 24 * 3_600;
const bounds = `must be a whole number from 1 to ${longest}`;

export default defineOperation({
  summary: 'A link to a campaign’s report that opens in a browser, without a token, until it expires.',
  id: 'links.createReportLink',
  method: 'POST',
  path: '/apps/links/v1/campaigns/{id}/report-links',
  scope: 'links:read',
  request: {
    params: CampaignParams,
    body: z
      .object({
        expiresInSeconds: z
          .int(bounds)
          .min(1, bounds)
          .max(longest, bounds)
          .default(7 * 24 * 3_600)
          .describe('At most 90 days.'),
      })
      .prefault({}),
  },
  answers: {
    201: {
      description: 'The link. Whoever has it can read the report of this campaign, and nothing else.',
      schema: z.object({ url: z.url(), expiresAt: z.iso.datetime() }),
      example: {
        url: 'https://portal.example/v2/apps/links/v1/campaigns/0199f3a1-7c55-7a10-b1c5-0d8f4d9f1a20/report?expires=1770454800&signature=9pQ7…',
        expiresAt: '2026-02-07T09:00:00.000Z',
      },
    },
  },
  async handle({ params, body }, { services }) {
    const campaign = await findCampaign(params.id, services);
    const expires = Math.floor(Date.now() / 1_000) + body.expiresInSeconds;
    return {
      status: 201,
      headers: { 'cache-control': 'no-store' },
      body: {
        url: await reportLink({ campaignId: campaign.id, expires }, services),
        expiresAt: new Date(expires * 1_000).toISOString(),
      },
    };
  },
});
