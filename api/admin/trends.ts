/** Trends: ended jobs, failures and run times by kind, as small plots with their numbers as text. */
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { z } from 'zod';
import { pluralize } from '../../core/alerts/duration-text.ts';
import { groupBy } from '../../core/values/group-by.ts';
import type { ApiServices } from '../services.ts';
import { durationText, timeView } from './format.ts';

/** Bins begin at full hours in Dubai. */
export const spans = {
  day: { label: 'Last 24 hours', hours: 24, binHours: 1, bin: 'an hour' },
  week: { label: 'Last 7 days', hours: 168, binHours: 6, bin: 'six hours' },
} as const;
const Span = z.enum(['day', 'week']);
type Span = z.output<typeof Span>;
export const SpanQuery = z.strictObject({ span: Span.default('day') });
export type SpanQuery = z.output<typeof SpanQuery>;

/** Links to the same page with each span. */
export const spanLinks = (path: string, current: Span) =>
  Span.options.map(span => ({ path: `${path}?span=${span}`, label: spans[span].label, isCurrent: span === current }));

const number = new Intl.NumberFormat('en');
const hourMs = 3_600_000;
const dubaiOffsetMs = 4 * hourMs;

/** The starts of the bins; the last one contains the present. */
function binsOf(span: Span, now: number): Date[] {
  const binMs = spans[span].binHours * hourMs;
  const last = Math.floor((now + dubaiOffsetMs) / binMs) * binMs - dubaiOffsetMs;
  const count = spans[span].hours / spans[span].binHours;
  return Array.from({ length: count }, (_, index) => new Date(last - (count - 1 - index) * binMs));
}

const Row = z.object({
  kind: z.string(),
  /** Null: of all bins. */
  bin: z.coerce.number().nullable(),
  ended: z.coerce.number(),
  failed: z.coerce.number(),
  /** Without jobs that were answered from the cache. */
  p95: z.coerce.number().nullable(),
});
type Figures = Omit<z.output<typeof Row>, 'kind'>;

/** By kind and bin, and by kind. */
async function readTrends(db: NodePgDatabase, [first, second]: readonly Date[]) {
  if (!first || !second) return [];
  const binSeconds = (second.getTime() - first.getTime()) / 1_000;
  const { rows } = await db.execute(sql`
    select kind, bin, count(*) as ended, count(*) filter (where state = 'failed') as failed,
      percentile_cont(0.95) within group (order by seconds) as p95
    from (
      select kind, state, extract(epoch from finished_at - started_at)::real as seconds,
        floor(extract(epoch from finished_at - ${first.toISOString()}::timestamptz) / ${binSeconds})::int as bin
      from job
      where finished_at >= ${first.toISOString()}::timestamptz and state in ('succeeded', 'failed')
    ) as ended
    group by kind, rollup (bin)
    order by kind`);
  return z.array(Row).parse(rows);
}

/** Figures of all kinds together, whose run times are not comparable. */
const sumOf = (rows: readonly Figures[]): Figures[] =>
  [...groupBy(rows, ({ bin }) => bin)].map(([bin, of]) => ({
    bin,
    ended: of.reduce((sum, { ended }) => sum + ended, 0),
    failed: of.reduce((sum, { failed }) => sum + failed, 0),
    p95: null,
  }));

export async function trendsView({ span }: SpanQuery, { database }: Pick<ApiServices, 'database'>) {
  const bins = binsOf(span, Date.now());
  const rows = await readTrends(database, bins);
  const kinds = [...groupBy(rows, ({ kind }) => kind)].flatMap(([kind, of]) => trendOf(kind, of, bins));
  return {
    title: 'Trends',
    span: spans[span].label,
    bin: spans[span].bin,
    from: bins[0] && timeView(bins[0]).clock,
    spans: spanLinks('/trends', span),
    kinds: [...trendOf(null, sumOf(rows), bins), ...kinds],
  };
}

/** @param kind null: all kinds */
function trendOf(kind: string | null, rows: readonly Figures[], bins: readonly Date[]) {
  const total = rows.find(row => row.bin === null);
  if (!total || total.ended === 0) return [];
  const inBins = bins.map((at, index) => ({ at, row: rows.find(row => row.bin === index) }));
  const series = (name: string, text: (value: number) => string, pick: (row: Figures) => number | null) => {
    const values = inBins.map(({ at, row }) => ({ at, value: (row && pick(row)) ?? 0 }));
    return plotOf(values, name, text);
  };
  const percent = (total.failed / total.ended) * 100;
  const percentText = percent < 1 ? 'under 1 %' : `${Math.round(percent)} %`;
  const failed = total.failed === 0 ? 'None failed' : `${number.format(total.failed)} failed, ${percentText}`;
  return [
    {
      key: kind ?? 'all',
      kind,
      plots: [
        { text: pluralize(total.ended, 'job'), ...series('Jobs', number.format, row => row.ended) },
        { text: failed, isBad: total.failed > 0, ...series('Failures', number.format, row => row.failed) },
        ...(total.p95 === null
          ? []
          : [{ text: `95 % within ${secondsText(total.p95)}`, ...series('95 % within', secondsText, row => row.p95) }]),
      ],
      table: inBins.flatMap(({ at, row }) =>
        row ? [{ ...timeView(at), ...row, p95: row.p95 && secondsText(row.p95) }] : [],
      ),
    },
  ];
}

/** In SVG user units. */
const height = 40;
const step = 10;

/** Bars; the label is the plot's text equivalent. */
function plotOf(values: readonly { at: Date; value: number }[], name: string, text: (value: number) => string) {
  const highest = values.reduce((best, one) => (one.value > best.value ? one : best));
  const most = highest.value === 0 ? '' : `most: ${text(highest.value)} at ${timeView(highest.at).clock}`;
  const bars = values.map(({ value }, index) => {
    const barHeight = Math.max(1.5, (value / highest.value) * height).toFixed(1);
    return value === 0 ? '' : `M${index * step + 1} ${height}v-${barHeight}h${step - 2}v${barHeight}z`;
  });
  return { most, label: `${name}; ${most || 'none'}`, width: values.length * step, height, bars: bars.join('') };
}

const secondsText = (seconds: number): string =>
  seconds < 10 ? `${seconds.toFixed(1)} s` : durationText(seconds * 1_000);
