/** Running checks: timeouts, errors, discovery; the report on a terminal, in a pipe and as JSON. */
import { describe, expect, it } from 'vitest';
import { type Check, coreChecks, linesOf, reportOf, runChecks, summaryOf } from '../../../../core/doctor/check.ts';
import { NotChecked, openContext } from '../../../../core/doctor/context.ts';
import { ConfigurationError } from '../../../../core/runtime/config.ts';
import { failure, ok, warning } from '../../../../core/runtime/finding.ts';

const run = (work: Check['run'], more: Partial<Check> = {}) =>
  Promise.all(runChecks([{ name: 'part', run: work, ...more }], openContext({})));

describe('a check', () => {
  it('reports a timeout with its fix', async () => {
    const hangs = () => new Promise<never>(() => {});
    expect(await run(hangs, { timeoutMs: 20, onTimeout: 'check the firewall' })).toEqual([
      { name: 'part', findings: [failure('no answer within 0.02 s', 'check the firewall')] },
    ]);
  });

  it('reports its error, a part it depends on, or an invalid configuration', async () => {
    const thrown = [new Error('it broke\nlong story'), new NotChecked('no database'), new ConfigurationError('PORT')];
    const checked = await Promise.all(thrown.map(error => run(() => Promise.reject(error))));
    expect(checked.flat().map(({ findings }) => findings[0])).toEqual([
      failure('it broke', 'fix the reported error'),
      warning('not checked: no database', 'fix that first'),
      warning('not checked: the configuration is wrong', 'fix that first'),
    ]);
  });

  it('is discovered in its folder', async () => {
    const names = (await coreChecks()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['node', 'configuration', 'database', 'redis', 'crm', 'sms-gateway']));
  });
});

describe('the report', () => {
  const checked = [
    { name: 'node', findings: [ok('Node.js 20')] },
    { name: 'redis', findings: [failure('Redis evicts keys', 'set maxmemory-policy noeviction')] },
  ];

  it('has one line per finding, with colours only on a terminal', () => {
    expect(checked.map(one => linesOf(one, false))).toEqual([
      '✔ node               Node.js 20',
      '✖ redis              Redis evicts keys: set maxmemory-policy noeviction',
    ]);
    expect(checked.map(one => linesOf(one, true)).join()).toContain('\u001b[31m✖');
  });

  it('has the status of its worst finding and counts the levels', () => {
    expect(reportOf(checked)).toEqual({
      status: 'failure',
      checks: [
        { name: 'node', level: 'ok', found: 'Node.js 20' },
        { name: 'redis', level: 'failure', found: 'Redis evicts keys', mend: 'set maxmemory-policy noeviction' },
      ],
    });
    expect(summaryOf(reportOf(checked))).toBe('ok: 1, failures: 1');
  });
});
