/** Reads a campaign's clicks, for the operation and for the report page. */
import { z } from 'zod';
import { analyseClicks } from '../../../core/domain/links/click-analytics.ts';
import { clickRange, DayOrTime, TimeZone } from '../../../core/domain/links/click-range.ts';
import { lastCountedAt } from '../../../core/domain/links/clicks.ts';
import type { Link } from '../../../core/domain/links/rows.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import type { ApiServices } from '../../services.ts';

export const CampaignParams = z.object({
  id: z
    .string()
    .describe('The campaign’s id.')
    .meta({ examples: ['0199f3a1-7c55-7a10-b1c5-0d8f4d9f1a20'] }),
});

export const ClicksQuery = z.object({
  from: DayOrTime.optional().describe('First day, or start time. Default: creation of the campaign.'),
  to: DayOrTime.optional().describe('Last day (included), or end time (excluded). Default: today.'),
  timeZone: TimeZone.describe('IANA time zone in which days begin and end.'),
});
export type ClicksQuery = z.infer<typeof ClicksQuery>;

export type CampaignClicks = Awaited<ReturnType<typeof campaignClicks>>;

/** @throws ServiceError not-found */
export async function findCampaign(id: string, { links }: Pick<ApiServices, 'links'>): Promise<Link> {
  const known = z.uuid().safeParse(id).data;
  const campaign = known === undefined ? undefined : await links.find(known);
  if (campaign?.kind === 'campaign') return campaign;
  throw new ServiceError('not-found', `There is no campaign with the id ${id}.`);
}

/** @throws ServiceError invalid-input for an empty range or one of more than two years */
export async function campaignClicks(campaign: Link, query: ClicksQuery, { database }: Pick<ApiServices, 'database'>) {
  const range = clickRange(query, campaign.createdAt);
  const analytics = await analyseClicks(database, campaign.id, range);
  return { ...analytics, campaign, range, lastCountedAt: await lastCountedAt(database) };
}
