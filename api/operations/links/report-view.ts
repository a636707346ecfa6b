/** View of the report template: formatted figures, plot and tables. */

import { clickPlot } from './click-plot.ts';
import type { CampaignClicks } from './get-campaign-clicks.ts';

const numbers = new Intl.NumberFormat('en');
const shares = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const countries = new Intl.DisplayNames(['en'], { type: 'region' });
const devices = new Map(Object.entries({ mobile: 'Phone', tablet: 'Tablet', desktop: 'Computer', tv: 'Television' }));

/** Offered besides the requested one. */
const usualTimeZones = [
  'Asia/Dubai',
  'Asia/Riyadh',
  'Asia/Kolkata',
  'Asia/Karachi',
  'Asia/Shanghai',
  'Africa/Cairo',
  'Europe/London',
  'Europe/Paris',
  'Europe/Moscow',
  'America/New_York',
  'UTC',
];
const maxRows = 20;

/** @param hidden parameters that the form must repeat, such as the link's signature */
export function reportView(report: CampaignClicks, hidden: Readonly<Record<string, string>>): object {
  const { campaign, range, byDay } = report;
  return {
    name: campaign.name,
    shortUrl: campaign.shortUrl.replace(/^https?:\/\//, ''),
    target: campaign.url,
    hidden: Object.entries(hidden).map(([name, value]) => ({ name, value })),
    from: range.days[0],
    to: range.days.at(-1) ?? '',
    timeZones: timeZonesWith(range.timeZone),
    figures: figures(report),
    plot: clickPlot(byDay),
    days: byDay.map(({ day, clicks, unique }) => ({
      day,
      clicks: numbers.format(clicks),
      unique: numbers.format(unique),
    })),
    tables: tables(report),
    counted: countedSentence(report),
  };
}

interface Row {
  label: string;
  note?: string;
  clicks: number;
}

function tables({ total, byLink, byReferrer, byCountry, byDevice, byBrowser }: CampaignClicks): object[] {
  const table = (kind: string, title: string, column: string, rows: readonly Row[]) => ({
    kind,
    title,
    column,
    rows: tableRows(rows, total),
  });
  const links = byLink.map(({ name, slug, clicks }) => ({ label: name, note: slug, clicks }));
  const referrers = byReferrer.map(({ referrer, clicks }) => ({
    label: referrer ?? 'Direct or unknown',
    clicks,
  }));
  const found = byCountry.map(({ country, clicks }) => ({
    label: country === null ? 'Unknown' : (countries.of(country) ?? country),
    clicks,
  }));
  const kinds = byDevice.map(({ device, clicks }) => ({
    label: devices.get(device ?? '') ?? 'Unknown',
    clicks,
  }));
  const browsers = byBrowser.map(({ browser, clicks }) => ({ label: browser ?? 'Unknown', clicks }));
  return [
    table('links', 'Links', 'Link', links),
    table('referrers', 'Referrers', 'Site', referrers),
    table('countries', 'Countries', 'Country', found),
    table('devices', 'Devices', 'Device', kinds),
    table('browsers', 'Browsers', 'Browser', browsers),
  ];
}

function tableRows(rows: readonly Row[], total: number): object[] {
  const clicked = rows.filter(({ clicks }) => clicks > 0);
  const rest = clicked.slice(maxRows).reduce((sum, { clicks }) => sum + clicks, 0);
  const shown: Row[] = clicked.slice(0, maxRows);
  if (rest > 0) shown.push({ label: `${clicked.length - maxRows} more`, clicks: rest });
  return shown.map(({ label, note, clicks }) => ({
    label,
    note,
    clicks: numbers.format(clicks),
    share: shares.format(clicks / total),
    width: (100 * clicks) / total,
  }));
}

const figures = ({ total, unique, scans, bots, previews, prefetches }: CampaignClicks): object[] => [
  { main: true, label: 'Clicks', value: numbers.format(total), note: 'by people' },
  { main: true, label: 'Unique visitors', value: numbers.format(unique), note: 'counted once a day' },
  { label: 'QR scans', value: numbers.format(scans), note: 'included in clicks' },
  { label: 'Link previews', value: numbers.format(previews), note: 'in chats, not clicks' },
  { label: 'Bots and prefetches', value: numbers.format(bots + prefetches), note: 'not clicks' },
];

const timeZonesWith = (asked: string): object[] =>
  [...new Set([asked, ...usualTimeZones])].map(value => ({
    value,
    text: value.replaceAll('_', ' '),
    selected: value === asked,
  }));

function countedSentence({ lastCountedAt, range: { timeZone } }: CampaignClicks): string {
  if (lastCountedAt === null) return 'No click has been counted yet.';
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'medium' });
  return `Last counted ${time.format(lastCountedAt)} (${timeZone.replaceAll('_', ' ')}).`;
}
