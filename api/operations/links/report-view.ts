/** What the report's template shows: words and numbers as a person reads them. */
import type { CampaignClicks } from './campaign-clicks.ts';
import { clickPlot } from './click-plot.ts';

const numbers = new Intl.NumberFormat('en');
const shares = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const countries = new Intl.DisplayNames(['en'], { type: 'region' });

/** Where the house's callers are; the one that is asked for joins them. */
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
const mostRows = 20;
const devices = { mobile: 'Phone', tablet: 'Tablet', desktop: 'Computer', tv: 'Television' };

/** @param hidden what the form must send along, such as the link's signature */
export function reportView(report: CampaignClicks, hidden: Readonly<Record<string, string>>): object {
  const { campaign, range, total } = report;
  const last = range.days.at(-1) ?? '';
  const table = (kind: string, title: string, column: string, rows: readonly Row[]) => ({
    kind,
    title,
    column,
    rows: tableRows(rows, total),
  });
  return {
    name: campaign.name,
    shortUrl: campaign.shortUrl.replace(/^https?:\/\//, ''),
    target: campaign.url,
    hidden: Object.entries(hidden).map(([name, value]) => ({ name, value })),
    from: range.days[0],
    to: last,
    timeZones: timeZonesWith(range.timeZone),
    figures: figures(report),
    plot: clickPlot(report.byDay),
    days: report.byDay.map(day => ({
      day: day.day,
      clicks: numbers.format(day.clicks),
      unique: numbers.format(day.unique),
    })),
    tables: [
      table(
        'links',
        'Links',
        'Link',
        report.byLink.map(({ name, slug, clicks }) => ({ label: name, note: slug, clicks })),
      ),
      table(
        'referrers',
        'Where the link was',
        'Site',
        report.byReferrer.map(({ referrer, clicks }) => ({
          label: referrer ?? 'Direct, or not told',
          clicks,
        })),
      ),
      table(
        'countries',
        'Countries',
        'Country',
        report.byCountry.map(({ country, clicks }) => ({ label: nameOfCountry(country), clicks })),
      ),
      table(
        'devices',
        'Devices',
        'Device',
        report.byDevice.map(({ device, clicks }) => ({ label: nameOfDevice(device), clicks })),
      ),
      table(
        'browsers',
        'Browsers',
        'Browser',
        report.byBrowser.map(({ browser, clicks }) => ({ label: browser ?? 'Not known', clicks })),
      ),
    ],
    counted: countedSentence(report),
  };
}

interface Row {
  label: string;
  note?: string;
  clicks: number;
}

function tableRows(rows: readonly Row[], total: number): object[] {
  const clicked = rows.filter(({ clicks }) => clicks > 0);
  const rest = clicked.slice(mostRows).reduce((sum, { clicks }) => sum + clicks, 0);
  const shown: Row[] = clicked.slice(0, mostRows);
  if (rest > 0) shown.push({ label: `${clicked.length - mostRows} more`, clicks: rest });
  return shown.map(({ label, note, clicks }) => ({
    label,
    note,
    clicks: numbers.format(clicks),
    share: shares.format(clicks / total),
    width: (100 * clicks) / total,
  }));
}

function figures({ total, unique, scans, bots, previews, prefetches }: CampaignClicks): object[] {
  return [
    { main: true, label: 'Clicks', value: numbers.format(total), note: 'by people' },
    { main: true, label: 'Unique visitors', value: numbers.format(unique), note: 'each once a day' },
    { label: 'QR scans', value: numbers.format(scans), note: 'among the clicks' },
    { label: 'Link previews', value: numbers.format(previews), note: 'shown in chats, not clicks' },
    { label: 'Bots and prefetches', value: numbers.format(bots + prefetches), note: 'not clicks' },
  ];
}

const timeZonesWith = (asked: string): object[] =>
  [...new Set([asked, ...usualTimeZones])].map(value => ({
    value,
    text: value.replaceAll('_', ' '),
    selected: value === asked,
  }));

const nameOfCountry = (code: string | null): string =>
  code === null ? 'Not known' : (countries.of(code) ?? code);

function nameOfDevice(device: string | null): string {
  const named = Object.entries(devices).find(([key]) => key === device);
  return named?.[1] ?? 'Not known';
}

function countedSentence({ lastCountedAt, range }: CampaignClicks): string {
  if (lastCountedAt === null) return 'No click has been counted yet.';
  const time = new Intl.DateTimeFormat('en-GB', {
    timeZone: range.timeZone,
    dateStyle: 'medium',
    timeStyle: 'medium',
  });
  return `Last counted ${time.format(lastCountedAt)} (${range.timeZone.replaceAll('_', ' ')}).`;
}
