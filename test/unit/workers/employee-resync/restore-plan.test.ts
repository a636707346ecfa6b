import { expect, it } from 'vitest';
import { planRestore } from '../../../../workers/employee-resync/restore-plan.ts';
import { aRecord } from '../../../support/employees.ts';

const chief = aRecord(1);
const head = aRecord(2, { reportsTo: chief.recordName });
const agent = aRecord(3, { reportsTo: head.recordName, employeeNumber: null });
const snapshot = [agent, head, chief];

it('makes who is missing anew, whoever leads first', () => {
  const { missing, same } = planRestore(snapshot, []);
  expect(missing).toEqual([[chief], [head], [agent]]);
  expect(same).toBe(0);
});

it('leaves alone what is as it was, and changes back what was changed', () => {
  const edited = { ...head, designation: 'Intern', modifiedAt: 'later' };
  expect(planRestore(snapshot, [chief, edited, agent])).toMatchObject({
    missing: [],
    changed: [head],
    same: 2,
  });
});

it('knows a record that was made anew by its number, and one without by the person it is about', () => {
  const anew = snapshot.map((record, index) => ({ ...record, recordName: `HR-EMP-0009${index}` }));
  const { present, missing } = planRestore(snapshot, anew);
  expect(missing).toEqual([]);
  expect(present.get(agent.recordName)).toBe('HR-EMP-00090');
});

it('does not take a stranger under a name used again for the one it was', () => {
  const stranger = aRecord(3, { employeeNumber: null, firstName: 'Omar', dateOfBirth: '1985-05-05' });
  expect(planRestore(snapshot, [chief, head, stranger]).missing).toEqual([[agent]]);
});

it('tells apart two records that have one number', () => {
  const twin = aRecord(4, { employeeNumber: 'MP-1', firstName: 'Omar' });
  const { present, missing } = planRestore([chief, twin], [{ ...chief, recordName: 'HR-EMP-00050' }]);
  expect([...present]).toEqual([[chief.recordName, 'HR-EMP-00050']]);
  expect(missing).toEqual([[twin]]);
});
