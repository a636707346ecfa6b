/**
 * The alert rules and the dashboard in `deploy/` are valid, query metrics and labels that `/metrics` has, and alert from the
 * same values on as the operations pages.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { limits, problemsOf } from '../../../api/admin/problems.ts';
import { discoverContracts } from '../../../core/jobs/discover.ts';
import { JobState } from '../../../core/jobs/record.ts';
import { schedulerHeartbeat, schedulesOf } from '../../../core/schedules/schedule.ts';
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

const ScrapeConfigs = z.object({
  scrape_configs: z.array(z.object({ job_name: z.string(), relabel_configs: z.array(z.unknown()).optional() })),
});

const RuleTests = z.object({
  tests: z.array(
    z.object({
      alert_rule_test: z.array(z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()).default([]) })),
    }),
  ),
});

const noJobs = { queued: 0, scheduled: 0, running: 0, held: 0, oldestWaitingSeconds: 0 };

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
  schedule: [...schedulesOf(await discoverContracts()).keys()],
  job: [scrapeJob],
};

describe('the alert rules', () => {
  it('query existing metrics, labels, kinds and states', () => {
    for (const { alert, expr } of rules) {
      const expression = readPromql(expr);
      expect(expression.selectors.length, alert).toBeGreaterThan(0);
      expect(unknownNames(expression, series, values), alert).toEqual([]);
    }
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

  it('are each tested: when they fire, and when they stay silent', () => {
    const tests = RuleTests.parse(parse(read('deploy/prometheus/alerts.test.yaml'))).tests;
    const cases = tests.flatMap(test => test.alert_rule_test);
    for (const { alert } of rules) {
      const expected = cases.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts.length);
      expect(expected, alert).toEqual(expect.arrayContaining([0]));
      expect(Math.max(...expected), alert).toBe(1);
    }
  });

  it('and the operations pages have the same conditions with the same limits', () => {
    const problems = problemsOf({
      openCounts: ['pdf', 'leads'].map(kind => ({ ...noJobs, kind, queued: 1, oldestWaitingSeconds: 1_000 })),
      workers: [],
      lastHour: [{ kind: 'leads', ended: 10, failed: 10 }],
      failedSchedules: [{ name: 'maintenance', jobId: 'x', finishedAt: new Date(), error: null }],
      missedSchedules: [{ name: 'maintenance', dueAt: new Date() }],
      jobsWaitingForSystems: [{ system: 'crm', jobs: 1 }],
      jobsWithoutSpace: 1,
      callbacksGivenUp: 1,
      smsBalance: { amount: 1, currency: 'AED', askedAt: new Date() },
      expiringSecrets: [{ clientId: 'x', name: 'X', expiresAt: new Date() }],
      listingActions: [{ listing: 'MP-10017', action: 'listing_trakheesi_invalid', daysLeft: 1.5 }],
    });
    const exprOf = (name: string) => rules.find(({ alert }) => alert === name)?.expr;
    for (const { alert } of problems) expect(exprOf(alert), alert).toBeDefined();
    expect(new Set(problems.map(({ alert }) => alert)).size).toBe(11);
    expect(exprOf('PortalJobsWaiting')).toContain(` > ${limits.waitingSeconds}`);
    expect(exprOf('PortalBrochuresWaiting')).toContain(` > ${limits.brochureWaitingSeconds}`);
    expect(exprOf('PortalJobsFailing')).toMatch(
      new RegExp(` >= ${limits.failedShare}\\n.* >= ${limits.failedJobs}\\n`),
    );
    expect(exprOf('PortalSmsBalanceLow')).toContain(` < ${limits.smsBalance}`);
    expect(exprOf('PortalListingAction')).toContain(` < ${limits.listingActionDays}`);
  });

  it('fire and stay silent as their own tests say', context => {
    const tool = process.env.PROMTOOL ?? 'promtool';
    try {
      execFileSync(tool, ['--version'], { stdio: 'ignore' });
    } catch {
      context.skip('promtool is not installed');
    }
    execFileSync(tool, ['check', 'config', path.join(root, 'deploy/prometheus/prometheus.yaml')], { stdio: 'pipe' });
    execFileSync(tool, ['test', 'rules', path.join(root, 'deploy/prometheus/alerts.test.yaml')], { stdio: 'pipe' });
  });
});

describe('the scrape configurations in docs/metrics.md', () => {
  it('are one job with the name of the rules, and scrape each pod at one port', () => {
    const configurations = [...read('docs/metrics.md').matchAll(/```yaml\n(scrape_configs:.*?)```/gs)].map(([, text]) =>
      ScrapeConfigs.parse(parse(text ?? '')),
    );
    expect(configurations).toHaveLength(2);
    for (const { scrape_configs: jobs } of configurations) expect(jobs.map(job => job.job_name)).toEqual(['portal']);
    expect(configurations[1]?.scrape_configs[0]?.relabel_configs).toEqual([
      { source_labels: ['__meta_kubernetes_pod_container_port_name'], regex: 'metrics', action: 'keep' },
    ]);
  });
});

describe('the dashboard', () => {
  it('queries existing metrics, labels, kinds and states', () => {
    for (const { title, expr, legendFormat } of plotted) {
      const expression = readPromql(withValues(expr));
      expect(unknownNames(expression, series, values), title).toEqual([]);
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? '');
      expect(
        named.filter(label => !expression.grouping.includes(label)),
        title,
      ).toEqual([]);
    }
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
