import { describe, expect, it } from 'vitest';
import { createFaultRules, FaultRule } from '../../../../sandbox/kit/faults.ts';

const rule = (given: object) => FaultRule.parse({ fault: 'error-500', ...given });

describe('fault rules', () => {
  it('apply to the given number of calls, then to none', () => {
    const faults = createFaultRules();
    faults.add(rule({ times: 2 }));
    expect([1, 2, 3].map(() => faults.take('GET', '/x')?.fault)).toEqual(['error-500', 'error-500', undefined]);
    expect(faults.pending()).toEqual([]);
  });

  it('match only calls with the given text in path or query and the given method', () => {
    const faults = createFaultRules();
    faults.add(rule({ path: 'page=7', method: 'GET' }));
    expect(faults.take('GET', '/x?page=6')).toBeUndefined();
    expect(faults.take('POST', '/x?page=7')).toBeUndefined();
    expect(faults.take('GET', '/x?page=7')).toBeDefined();
  });

  it('let the first matching calls succeed with "skip"', () => {
    const faults = createFaultRules();
    faults.add(rule({ path: 'users', skip: 2 }));
    const outcomes = ['users', 'groups', 'users', 'users', 'users'].map(path => Boolean(faults.take('GET', path)));
    expect(outcomes).toEqual([false, false, false, true, false]);
  });

  it('for commands apply to commands only', () => {
    const faults = createFaultRules();
    faults.add(rule({ fault: 'command-error', path: 'crm.lead.update', skip: 1 }));
    expect(faults.take('POST', '/crm.lead.update')).toBeUndefined();
    const commands = ['crm.lead.update?id=1', 'crm.lead.get?id=1', 'crm.lead.update?id=2', 'crm.lead.update?id=3'];
    expect(commands.map(command => faults.takeCommand(command)?.code)).toEqual([
      undefined,
      undefined,
      'INTERNAL_SERVER_ERROR',
      undefined,
    ]);
  });

  it('apply one rule to each call, the earliest first', () => {
    const faults = createFaultRules();
    faults.add(rule({ fault: 'limit' }));
    faults.add(rule({ fault: 'html' }));
    expect([1, 2].map(() => faults.take('GET', '/')?.fault)).toEqual(['limit', 'html']);
  });
});
