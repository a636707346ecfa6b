import { describe, expect, it } from 'vitest';
import { createFaultSwitches, FaultOrder } from '../../../../sandbox/kit/faults.ts';

const order = (given: object) => FaultOrder.parse({ fault: 'error-500', ...given });

describe('fault switches', () => {
  it('spoil as many calls as ordered, then none', () => {
    const faults = createFaultSwitches();
    faults.order(order({ times: 2 }));
    expect([1, 2, 3].map(() => faults.take('GET', '/x')?.fault)).toEqual([
      'error-500',
      'error-500',
      undefined,
    ]);
    expect(faults.pending()).toEqual([]);
  });

  it('mean only calls with the text in their path or query, and with the method', () => {
    const faults = createFaultSwitches();
    faults.order(order({ path: 'page=7', method: 'GET' }));
    expect(faults.take('GET', '/x?page=6')).toBeUndefined();
    expect(faults.take('POST', '/x?page=7')).toBeUndefined();
    expect(faults.take('GET', '/x?page=7')).toBeDefined();
  });

  it('let the first calls meant go well when told to skip them', () => {
    const faults = createFaultSwitches();
    faults.order(order({ path: 'users', skip: 2 }));
    const outcomes = ['users', 'groups', 'users', 'users', 'users'].map(path =>
      Boolean(faults.take('GET', path)),
    );
    expect(outcomes).toEqual([false, false, false, true, false]);
  });

  it('carry out one order a call, the earliest first', () => {
    const faults = createFaultSwitches();
    faults.order(order({ fault: 'limit' }));
    faults.order(order({ fault: 'html' }));
    expect([1, 2].map(() => faults.take('GET', '/')?.fault)).toEqual(['limit', 'html']);
  });
});
