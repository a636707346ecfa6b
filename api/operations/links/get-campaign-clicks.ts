import { z } from 'zod';
import { analyseClicks } from '../../../core/domain/links/click-analytics.ts';
import { clickRange, DayOrTime, TimeZone } from '../../../core/domain/links/click-range.ts';
import { lastClickAt } from '../../../core/domain/links/clicks.ts';
import type { Link } from '../../../core/domain/links/rows.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { defineOperation, ok } from '../../http/operation.ts';
import type { ApiServices } from '../../services.ts';
import { linkExample } from './link-resource.ts';

const clicks = z.int().describe('By people.');

const example = {
  id: linkExample.id,
  name: linkExample.name,
  from: '2026-01-30T20:00:00.000Z',
  to: '2026-01-31T20:00:00.000Z',
  timeZone: 'Asia/Dubai',
  total: 42,
  unique: 37,
  scans: 9,
  bots: 6,
  previews: 11,
  prefetches: 2,
  byDay: [{ day: '2026-01-31', clicks: 42, unique: 37 }],
  byReferrer: [{ referrer: 'instagram.com', clicks: 42 }],
  byCountry: [{ country: 'AE', clicks: 42 }],
  byDevice: [{ device: 'mobile', clicks: 42 }],
  byBrowser: [{ browser: 'Safari', clicks: 42 }],
  byLink: [{ id: linkExample.id, kind: 'campaign', name: linkExample.name, slug: linkExample.slug, clicks: 42 }],
  lastCountedAt: '2026-01-31T08:00:00.000Z',
};

const CampaignClicks = z
  .object({
    id: z.string(),
    name: z.string(),
    from: z.iso.datetime().describe('Start of the range.'),
    to: z.iso.datetime().describe('Excluded.'),
    timeZone: z.string().describe('The time zone of the days.'),
    total: z.int().describe('Clicks by people, without bots, previews and prefetches.'),
    unique: z.int().describe('People, each counted once a day (UTC), without storing addresses.'),
    scans: z.int().describe('Clicks by people through the QR code.'),
    bots: z.int().describe('Requests of bots.'),
    previews: z.int().describe('Link previews of chat apps: about one per share.'),
    prefetches: z.int().describe('Prefetches of browsers.'),
    byDay: z.array(z.object({ day: z.iso.date(), clicks, unique: z.int() })).describe('Every day of the range.'),
    byReferrer: z
      .array(z.object({ referrer: z.string().nullable(), clicks }))
      .describe('Hosts, the first 200; null: typed, scanned, opened in an app, or withheld by the page.'),
    byCountry: z.array(z.object({ country: z.string().nullable(), clicks })).describe('ISO 3166-1 alpha-2.'),
    byDevice: z.array(z.object({ device: z.string().nullable(), clicks })).describe('By type of device.'),
    byBrowser: z.array(z.object({ browser: z.string().nullable(), clicks })).describe('By browser.'),
    byLink: z
      .array(z.object({ id: z.string(), kind: z.string(), name: z.string(), slug: z.string(), clicks }))
      .describe('The campaign’s own link and its child links, the first 200.'),
    lastCountedAt: z.iso
      .datetime()
      .nullable()
      .describe('Time of the newest counted click on any link; a click is counted within about 0.2 s.'),
  })
  .meta({ id: 'CampaignClicks', examples: [example] });

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
  return { ...analytics, campaign, range, lastCountedAt: await lastClickAt(database) };
}

export default defineOperation({
  summary: 'Get the click analytics of a campaign: by day, referrer, country, device, browser and link.',
  id: 'links.getCampaignClicks',
  route: 'GET /apps/links/v1/campaigns/{id}/clicks',
  scope: 'links:read',
  request: { params: CampaignParams, query: ClicksQuery },
  answers: { 200: { description: 'The clicks.', schema: CampaignClicks } },
  async handle({ params, query }, { services }) {
    const found = await campaignClicks(await findCampaign(params.id, services), query, services);
    const { campaign, range, lastCountedAt, ...analytics } = found;
    return ok({
      id: campaign.id,
      name: campaign.name,
      from: range.from.toISOString(),
      to: range.to.toISOString(),
      timeZone: range.timeZone,
      ...analytics,
      lastCountedAt: lastCountedAt?.toISOString() ?? null,
    });
  },
});
