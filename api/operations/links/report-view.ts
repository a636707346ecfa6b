/** View of the report template: formatted figures, plot and tables. */

import { clickPlot } from './click-plot.ts';
import type { CampaignClicks } from './get-campaign-clicks.ts';
import type { ReportTexts } from './report-texts.ts';

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
export function reportView(
  report: CampaignClicks,
  hidden: Readonly<Record<string, string>>,
  texts: ReportTexts,
): object {
  const { campaign, range, byDay } = report;
  return {
    texts,
    name: campaign.name,
    shortUrl: campaign.shortUrl.replace(/^https?:\/\//, ''),
    target: campaign.url,
    hidden: Object.entries(hidden).map(([name, value]) => ({ name, value })),
    from: range.days[0],
    to: range.days.at(-1) ?? '',
    timeZones: timeZonesWith(range.timeZone),
    figures: figures(report, texts),
    plot: clickPlot(byDay, texts),
    days: byDay.map(({ day, clicks, unique }) => ({
      day,
      clicks: texts.number(clicks),
      unique: texts.number(unique),
    })),
    tables: tables(report, texts),
    counted: countedSentence(report, texts),
  };
}

interface Row {
  label: string;
  note?: string;
  clicks: number;
}

function tables(report: CampaignClicks, texts: ReportTexts): object[] {
  const { total, byLink, byReferrer, byCountry, byDevice, byBrowser } = report;
  const { unknown, direct, country: countryName } = texts;
  const devices = new Map<string | null, string>(Object.entries(texts.devices));
  const table = (kind: keyof ReportTexts['tables'], rows: readonly Row[]) => {
    const [title, column] = texts.tables[kind];
    return { kind, title, column, rows: tableRows(rows, total, texts) };
  };
  return [
    table(
      'links',
      byLink.map(({ name, slug, clicks }) => ({ label: name, note: slug, clicks })),
    ),
    table(
      'referrers',
      byReferrer.map(({ referrer, clicks }) => ({ label: referrer ?? direct, clicks })),
    ),
    table(
      'countries',
      byCountry.map(({ country, clicks }) => ({ label: country === null ? unknown : countryName(country), clicks })),
    ),
    table(
      'devices',
      byDevice.map(({ device, clicks }) => ({ label: devices.get(device) ?? unknown, clicks })),
    ),
    table(
      'browsers',
      byBrowser.map(({ browser, clicks }) => ({ label: browser ?? unknown, clicks })),
    ),
  ];
}

function tableRows(rows: readonly Row[], total: number, texts: ReportTexts): object[] {
  const clicked = rows.filter(({ clicks }) => clicks > 0);
  const rest = clicked.slice(maxRows).reduce((sum, { clicks }) => sum + clicks, 0);
  const shown: Row[] = clicked.slice(0, maxRows);
  if (rest > 0) shown.push({ label: texts.more(clicked.length - maxRows), clicks: rest });
  return shown.map(({ label, note, clicks }) => ({
    label,
    note,
    clicks: texts.number(clicks),
    share: texts.percent(clicks / total),
    width: (100 * clicks) / total,
  }));
}

const figures = (
  { total, unique, scans, bots, previews, prefetches }: CampaignClicks,
  texts: ReportTexts,
): object[] => [
  { main: true, label: texts.clicks, value: texts.number(total), note: texts.byPeople },
  { main: true, label: texts.unique, value: texts.number(unique), note: texts.onceADay },
  { label: texts.scans, value: texts.number(scans), note: texts.included },
  { label: texts.previews, value: texts.number(previews), note: texts.inChats },
  { label: texts.bots, value: texts.number(bots + prefetches), note: texts.notClicks },
];

const timeZonesWith = (asked: string): object[] =>
  [...new Set([asked, ...usualTimeZones])].map(value => ({
    value,
    text: value.replaceAll('_', ' '),
    selected: value === asked,
  }));

function countedSentence({ lastCountedAt, range: { timeZone } }: CampaignClicks, texts: ReportTexts): string {
  if (lastCountedAt === null) return texts.notCounted;
  return texts.counted(texts.timeIn(timeZone).format(lastCountedAt), timeZone.replaceAll('_', ' '));
}
