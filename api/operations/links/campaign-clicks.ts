/** A campaign's clicks, for the operation and for the page. */
import { z } from 'zod';
import { analyseClicks, type ClickAnalytics } from '../../../core/domain/links/click-analytics.ts';
import { type ClickRange, clickRange, DayOrTime, TimeZone } from '../../../core/domain/links/click-range.ts';
import { lastCountedAt } from '../../../core/domain/links/clicks.ts';
import type { Link } from '../../../core/domain/links/link.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import type { ApiServices } from '../../services.ts';

export const CampaignParams = z.object({
  id: z
    .string()
    .describe('The campaign’s id.')
    .meta({ examples: ['0199f3a1-7c55-7a10-b1c5-0d8f4d9f1a20'] }),
});

export const ClicksQuery = z.object({
  from: DayOrTime.optional().describe(
    'The first day, or the time from which on. Left out: since the campaign was made, two years at most.',
  ),
  to: DayOrTime.optional().describe('The last day (all of it), or the time before which. Left out: today.'),
  timeZone: TimeZone.describe('In which days begin and end.'),
});
export type ClicksQuery = z.infer<typeof ClicksQuery>;

export interface CampaignClicks extends ClickAnalytics {
  campaign: Link;
  range: ClickRange;
  /** When clicks were last counted, anyone's; null: never yet. */
  lastCountedAt: Date | null;
}

/** @throws ServiceError not-found */
export async function findCampaign(id: string, { links }: Pick<ApiServices, 'links'>): Promise<Link> {
  const known = z.uuid().safeParse(id).data;
  const campaign = known === undefined ? undefined : await links.find(known);
  if (campaign?.kind === 'campaign') return campaign;
  throw new ServiceError('not-found', 'There is no such campaign.');
}

/** @throws ServiceError invalid-input when the range makes no sense */
export async function campaignClicks(
  campaign: Link,
  query: ClicksQuery,
  { database }: Pick<ApiServices, 'database'>,
): Promise<CampaignClicks> {
  const range = clickRange(query, campaign.createdAt);
  const analytics = await analyseClicks(database, campaign.id, range);
  return { ...analytics, campaign, range, lastCountedAt: await lastCountedAt(database) };
}
