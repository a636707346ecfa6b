/** Coordinates of the plot of clicks by day: bars for clicks, a line for unique visitors. */
import { scaleBand, scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import type { ClickAnalytics } from '../../../core/domain/links/click-analytics.ts';
import type { ReportTexts } from './report-texts.ts';

/** In SVG user units. */
const width = 760;
const height = 310;
const edges = { top: 12, right: 8, bottom: 30, left: 52 };
const maxDayLabels = 8;
/** Bars of a few days do not become blocks. */
const maxBarWidth = 48;

type PlotDay = ClickAnalytics['byDay'][number];

export function clickPlot(days: readonly PlotDay[], texts: ReportTexts): object {
  const right = width - edges.right;
  const bottom = height - edges.bottom;
  const across = scaleBand(
    days.map(({ day }) => day),
    [edges.left, right],
  ).paddingInner(days.length > 120 ? 0 : 0.25);
  const most = Math.max(4, ...days.map(({ clicks }) => clicks));
  const up = scaleLinear([0, most], [bottom, edges.top]).nice(4);
  const place = (day: string): number => across(day) ?? edges.left;
  const middle = (day: string): number => place(day) + across.bandwidth() / 2;
  const barWidth = Math.min(across.bandwidth(), maxBarWidth);
  const unique = line<PlotDay>(
    ({ day }) => middle(day),
    ({ unique }) => up(unique),
  ).digits(1);
  return {
    width,
    height,
    left: edges.left,
    right,
    summary: summaryOf(days, texts),
    grid: up.ticks(4).map(tick => ({ y: round(up(tick)), labelX: edges.left - 10, label: texts.number(tick) })),
    bars: days.map(({ day, clicks, unique }) => ({
      x: round(middle(day) - barWidth / 2),
      y: round(up(clicks)),
      width: round(barWidth),
      height: round(bottom - up(clicks)),
      label: texts.bar(texts.longDay.format(new Date(day)), texts.number(clicks), texts.number(unique)),
    })),
    line: unique([...days]) ?? '',
    days: labelled(days).map(({ day, anchor }) => ({
      x: round(middle(day)),
      y: height - 8,
      anchor,
      label: texts.shortDay.format(new Date(day)),
    })),
  };
}

/** At most `maxDayLabels`, always including the last day, whose label ends at the edge of the plot. */
function labelled(days: readonly PlotDay[]): { day: string; anchor: string }[] {
  const step = Math.ceil(days.length / maxDayLabels);
  return days
    .map(({ day }, index) => ({ day, fromLast: days.length - 1 - index }))
    .filter(({ fromLast }) => fromLast % step === 0)
    .map(({ day, fromLast }) => ({ day, anchor: fromLast === 0 && days.length > 1 ? 'end' : 'middle' }));
}

function summaryOf(days: readonly PlotDay[], { noneIn, summary, number, longDay }: ReportTexts): string {
  const [best] = days.toSorted((one, other) => other.clicks - one.clicks);
  const total = days.reduce((sum, { clicks }) => sum + clicks, 0);
  if (!best || total === 0) return noneIn(days.length);
  return summary(number(total), days.length, number(best.clicks), longDay.format(new Date(best.day)));
}

const round = (value: number): number => Math.round(value * 10) / 10;
