/** Checks end in time with a line each, whatever goes wrong in one, and read well on a terminal and in a pipe. */
import { describe, expect, it } from 'vitest';
import { type Check, coreChecks, NotChecked } from '../../../../core/doctor/check.ts';
import { openContext } from '../../../../core/doctor/context.ts';
import { nearMiss } from '../../../../core/doctor/near-miss.ts';
import { linesOf, reportOf, summaryOf } from '../../../../core/doctor/report.ts';
import { runChecks } from '../../../../core/doctor/run-checks.ts';
import { ConfigurationError } from '../../../../core/runtime/config.ts';
import { failure, ok, warning } from '../../../../core/runtime/finding.ts';

const run = (look: Check['look'], more: Partial<Check> = {}) =>
  Promise.all(runChecks([{ name: 'part', look, ...more }], openContext({})));

describe('a check', () => {
  it('that hangs is told of as such, with what to do', async () => {
    const hangs = () => new Promise<never>(() => {});
    expect(await run(hangs, { timeoutMs: 20, whenSilent: 'look at the firewall' })).toEqual([
      { name: 'part', findings: [failure('no answer within 0.02 s', 'look at the firewall')] },
    ]);
  });

  it('that breaks, lacks what another check tells of, or the configuration, does not end the others', async () => {
    const thrown = [
      new Error('it broke\nlong story'),
      new NotChecked('no database'),
      new ConfigurationError('PORT'),
    ];
    const checked = await Promise.all(thrown.map(error => run(() => Promise.reject(error))));
    expect(checked.flat().map(({ findings }) => findings[0])).toEqual([
      failure('it broke', 'mend what it says'),
      warning('not checked: no database', 'mend that first'),
      warning('not checked: the configuration is wrong', 'mend that first'),
    ]);
  });

  it('is found by its place', async () => {
    const names = (await coreChecks()).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['node', 'configuration', 'database', 'redis', 'crm', 'sms-gateway']),
    );
  });
});

describe('the report', () => {
  const checked = [
    { name: 'node', findings: [ok('Node.js 20')] },
    { name: 'redis', findings: [failure('Redis evicts keys', 'set maxmemory-policy noeviction')] },
  ];

  it('has a line for each finding, with colours on a terminal only', () => {
    expect(checked.map(one => linesOf(one, false))).toEqual([
      '✔ node               Node.js 20',
      '✖ redis              Redis evicts keys: set maxmemory-policy noeviction',
    ]);
    expect(checked.map(one => linesOf(one, true)).join()).toContain('\u001b[31m✖');
  });

  it('is as bad as its worst finding, and counts them', () => {
    expect(reportOf(checked)).toEqual({
      status: 'failure',
      checks: [
        { name: 'node', level: 'ok', found: 'Node.js 20' },
        {
          name: 'redis',
          level: 'failure',
          found: 'Redis evicts keys',
          mend: 'set maxmemory-policy noeviction',
        },
      ],
    });
    expect(summaryOf(reportOf(checked))).toBe('1 ok, 1 to be mended');
  });
});

it.each([
  ['CRM_ULR', 'CRM_URL'],
  ['REDIS_URI', 'REDIS_URL'],
  ['DATABSE_ULR', 'DATABASE_URL'],
  ['HOME', undefined],
  ['PATH', undefined],
  ['PORTS', 'PORT'],
])('%s was meant to be %s', (name, meant) => {
  expect(nearMiss(name, ['CRM_URL', 'REDIS_URL', 'DATABASE_URL', 'HOST', 'PORT', 'DATA_DIR'])).toBe(meant);
});
