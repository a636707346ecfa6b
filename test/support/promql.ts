/** Reads the metrics and labels of PromQL expressions, and compares them with the metrics of the code. */
import { parser } from '@prometheus-io/lezer-promql';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { serviceMetrics } from '../../core/monitoring/service-metrics.ts';
import { registry } from '../../core/telemetry/meter.ts';

export interface Selector {
  metric: string;
  matchers: { label: string; value: string }[];
}

export interface Expression {
  selectors: Selector[];
  /** The labels that the expression groups or joins by. */
  grouping: string[];
}

/** @throws Error when the expression is not valid PromQL */
export function readPromql(expression: string): Expression {
  const selectors: Selector[] = [];
  const grouping: string[] = [];
  const textOf = ({ from, to }: { from: number; to: number }) => expression.slice(from, to);
  parser.parse(expression).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`Invalid PromQL at character ${node.from}: ${expression}`);
      const parent = node.node.parent?.name;
      if (node.name === 'Identifier' && parent === 'VectorSelector')
        selectors.push({ metric: textOf(node), matchers: [] });
      if (node.name === 'UnquotedLabelMatcher') {
        const [, label = '', value = ''] = /^(\w+)\s*(?:=~|!~|!=|=)\s*"(.*)"$/.exec(textOf(node)) ?? [];
        selectors.at(-1)?.matchers.push({ label, value });
      }
      if (node.name === 'LabelName' && parent === 'GroupingLabels') grouping.push(textOf(node));
    },
  });
  return { selectors, grouping };
}

/** Labels by name of each series that `/metrics` has; histograms under the names of their series. */
export async function measuredSeries(): Promise<Map<string, string[]>> {
  const node = new Registry();
  collectDefaultMetrics({ register: node });
  const service = serviceMetrics().registry;
  const series = new Map<string, string[]>();
  for (const metrics of [registry, node, service]) {
    // The process sets the first label, Prometheus the second.
    const added = metrics === service ? ['instance'] : ['process', 'instance'];
    for (const metric of metrics.getMetricsAsArray()) {
      const own = 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];
      const labels = [...own, ...added];
      if (!('buckets' in metric)) series.set(metric.name, labels);
      else {
        series.set(`${metric.name}_bucket`, [...labels, 'le']);
        for (const suffix of ['_sum', '_count']) series.set(metric.name + suffix, labels);
      }
    }
  }
  return series;
}

/** One sentence for each metric, label or kind of job that the code does not have. */
export function unknownNames(
  { selectors, grouping }: Expression,
  series: ReadonlyMap<string, readonly string[]>,
  values: Readonly<Record<string, readonly string[]>>,
): string[] {
  const problems: string[] = [];
  for (const { metric, matchers } of selectors) {
    const labels = series.get(metric);
    if (!labels) problems.push(`no metric ${metric}`);
    for (const { label, value } of matchers) {
      if (labels && !labels.includes(label)) problems.push(`${metric} has no label ${label}`);
      const known = values[label];
      for (const one of value.split('|'))
        if (known && /^[\w-]+$/.test(one) && !known.includes(one)) problems.push(`no ${label} ${one}`);
    }
  }
  for (const label of grouping)
    if (!selectors.some(({ metric }) => series.get(metric)?.includes(label))) problems.push(`no label ${label}`);
  return problems;
}
