/** Restore plans: which records are missing, changed or unchanged. */
import { expect, it } from 'vitest';
import { planRestore } from '../../../../workers/employee-resync/restore-plan.ts';
import { employeeRecord } from '../../../support/employees.ts';

const chief = employeeRecord(1);
const head = employeeRecord(2, { reportsTo: chief.recordName });
const agent = employeeRecord(3, { reportsTo: head.recordName, employeeNumber: null });
const snapshot = [agent, head, chief];

it('creates missing records, managers first', () => {
  const { missing, same } = planRestore(snapshot, []);
  expect(missing).toEqual([[chief], [head], [agent]]);
  expect(same).toBe(0);
});

it('skips unchanged records, and reverts changed ones', () => {
  const edited = { ...head, designation: 'Intern', modifiedAt: 'later' };
  expect(planRestore(snapshot, [chief, edited, agent])).toMatchObject({ missing: [], changed: [head], same: 2 });
});

it('finds a recreated record by its number, or without one by the person’s data', () => {
  const recreated = snapshot.map((record, index) => ({ ...record, recordName: `HR-EMP-0009${index}` }));
  const { present, missing } = planRestore(snapshot, recreated);
  expect(missing).toEqual([]);
  expect(present.get(agent.recordName)).toBe('HR-EMP-00090');
});

it('does not match another person whose record reuses the name', () => {
  const stranger = employeeRecord(3, { employeeNumber: null, firstName: 'Omar', dateOfBirth: '1985-05-05' });
  expect(planRestore(snapshot, [chief, head, stranger]).missing).toEqual([[agent]]);
});

it('distinguishes two records with the same number', () => {
  const twin = employeeRecord(4, { employeeNumber: 'MP-1', firstName: 'Omar' });
  const { present, missing } = planRestore([chief, twin], [{ ...chief, recordName: 'HR-EMP-00050' }]);
  expect([...present]).toEqual([[chief.recordName, 'HR-EMP-00050']]);
  expect(missing).toEqual([[twin]]);
});
