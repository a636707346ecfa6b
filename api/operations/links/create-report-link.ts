import { z } from 'zod';
import { findCampaign } from '../../campaign-clicks.ts';
import { defineOperation } from '../../operation.ts';
import { reportLink } from '../../report-link.ts';

const longest = 90 * 24 * 3_600;
const bounds = `must be a whole number from 1 to ${longest}`;

export default defineOperation({
  summary: 'A link to a campaign’s report that opens in a browser, without a token, until it expires.',
  id: 'links.createReportLink',
  method: 'POST',
  path: '/apps/links/v1/campaigns/{id}/report-links',
  scope: 'links:read',
  request: {
    params: z.object({ id: z.string() }),
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
