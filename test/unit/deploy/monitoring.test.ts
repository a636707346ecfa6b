/** The alert rules and the dashboard in `deploy/` are valid, and query metrics and labels that `/metrics` has. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { discoverContracts } from '../../../core/jobs/discover.ts';
import { JobState } from '../../../core/jobs/record.ts';
import { schedulerHeartbeat } from '../../../core/schedules/schedule.ts';
import { measuredSeries, readPromql, unknownNames } from '../../support/promql.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

// Strict, so that a misspelled member fails.
const Rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Portal[A-Za-z]+$/),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[smh]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
          annotations: z.strictObject({ summary: z.string(), description: z.string() }),
        }),
      ),
    }),
  ),
});

const Panel = z.object({
  id: z.int(),
  type: z.enum(['row', 'stat', 'timeseries']),
  title: z.string(),
  gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
  datasource: z.object({ type: z.literal('prometheus'), uid: z.string().regex(/^\$\{datasource\}$/) }).optional(),
  targets: z.array(z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string() })).default([]),
});

const Dashboard = z.object({
  title: z.string(),
  uid: z.string(),
  schemaVersion: z.int(),
  templating: z.object({ list: z.array(z.object({ name: z.string(), definition: z.string().optional() })) }),
  panels: z.array(Panel),
});

const rules = Rules.parse(parse(read('deploy/prometheus/alerts.yaml'))).groups.flatMap(group => group.rules);
const dashboard = Dashboard.parse(JSON.parse(read('deploy/grafana/portal.json')));
const plotted = dashboard.panels.flatMap(({ title, targets }) => targets.map(target => ({ title, ...target })));

/** Replaces Grafana's variables by values of their kind. */
const withValues = (expr: string): string => expr.replaceAll('$__rate_interval', '5m').replaceAll('$kind', 'pdf');

const scrapeJob = /job_name: (\w+)/.exec(read('docs/metrics.md'))?.[1] ?? '';
const series = await measuredSeries();
// Made by Prometheus itself for each scrape.
series.set('up', ['job', 'instance']);
const values = {
  kind: [...(await discoverContracts()).keys(), schedulerHeartbeat],
  state: JobState.options,
  job: [scrapeJob],
};

describe('the alert rules', () => {
  it.each(rules)('$alert queries existing metrics, labels, kinds and states', ({ expr }) => {
    const expression = readPromql(expr);
    expect(expression.selectors.length).toBeGreaterThan(0);
    expect(unknownNames(expression, series, values)).toEqual([]);
  });

  it('have unique names, and texts with labels that their expression keeps', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, expr, annotations } of rules) {
      const kept = readPromql(expr).grouping;
      const named = [
        ...Object.values(annotations)
          .join(' ')
          .matchAll(/\$labels\.(\w+)/g),
      ].map(([, label]) => label);
      expect(
        named.filter(label => !kept.includes(label ?? '')),
        alert,
      ).toEqual([]);
    }
  });

  it('find an unknown metric, label, kind and syntax error', () => {
    const problems = (expr: string) => unknownNames(readPromql(expr), series, values);
    expect(problems('sum by (kind) (portal_jobz)')).toEqual(['no metric portal_jobz', 'no label kind']);
    expect(problems('portal_jobs{sort="pdf"}')).toEqual(['portal_jobs has no label sort']);
    expect(problems('portal_jobs{kind=~"pdf|pfd"}')).toEqual(['no kind pfd']);
    expect(() => problems('sum(portal_jobs')).toThrow('Invalid PromQL');
  });

  it('fire and stay silent as their own tests say', context => {
    const tool = process.env.PROMTOOL ?? 'promtool';
    try {
      execFileSync(tool, ['--version'], { stdio: 'ignore' });
    } catch {
      context.skip('promtool is not installed');
    }
    execFileSync(tool, ['test', 'rules', path.join(root, 'deploy/prometheus/alerts.test.yaml')], { stdio: 'pipe' });
  });
});

describe('the dashboard', () => {
  it.each(plotted)('$title queries existing metrics, labels, kinds and states', ({ expr, legendFormat }) => {
    const expression = readPromql(withValues(expr));
    expect(unknownNames(expression, series, values)).toEqual([]);
    const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? '');
    expect(named.filter(label => !expression.grouping.includes(label))).toEqual([]);
  });

  it('uses declared variables, and fills them from existing labels', () => {
    const declared = dashboard.templating.list.map(({ name }) => name);
    const used = [...JSON.stringify(dashboard.panels).matchAll(/\$\{?(\w+)/g)].map(([, name]) => name ?? '');
    expect([...new Set(used)].filter(name => !name.startsWith('__')).sort()).toEqual(declared.sort());
    const filled = dashboard.templating.list.flatMap(
      ({ definition }) => /^label_values\((\w+), (\w+)\)$/.exec(definition ?? '')?.slice(1) ?? [],
    );
    expect(filled).toEqual(['portal_jobs', 'kind']);
    expect(series.get('portal_jobs')).toContain('kind');
  });

  it('has panels with unique ids that do not overlap', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });
});
