import { beforeEach, expect, it } from 'vitest';
import type { EmployeeView } from '../../../../../core/domain/employees/employee-view.ts';
import { createEmployeeViews } from '../../../../../core/domain/employees/repository.ts';
import { employeeRecord, planOf } from '../../../../support/employees.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const { database } = await useTestDatabase('employees list');
const employees = createEmployeeViews(database);
beforeEach(async () => employees.replace([], await employees.now(), async () => {}));

const list = (...places: number[]): EmployeeView[] =>
  planOf({ records: places.map(place => employeeRecord(place)) }).plan.list;
const nothing = async () => {};
const numbers = async () => (await employees.all()).map(({ number }) => number);

it('adds new employees and removes absent ones', async () => {
  await employees.replace(list(1, 2), await employees.now(), nothing);
  await employees.replace(list(2, 3), await employees.now(), nothing);
  expect(await employees.all()).toEqual(list(2, 3));
});

it('keeps employees changed, created or renumbered since the read started', async () => {
  await employees.replace(list(1, 2, 3), await employees.now(), nothing);
  const readAt = await employees.now();
  const [one, two] = list(1, 2);
  await employees.put({ ...aListed(one), department: 'Marketing' });
  await employees.put({ ...aListed(two), number: 'MP-20', employeeNumber: 'MP-20' });
  await employees.put(aListed(list(4)[0]));
  await employees.replace(list(1, 2, 3), readAt, nothing);
  expect(await numbers()).toEqual(['MP-1', 'MP-20', 'MP-3', 'MP-4']);
  expect(await employees.find('MP-1')).toMatchObject({ department: 'Marketing' });
  await employees.replace(list(1, 2, 3), await employees.now(), nothing);
  expect(await numbers()).toEqual(['MP-1', 'MP-2', 'MP-3']);
});

it('does not add employees deleted since the read started', async () => {
  await employees.replace(list(1, 2), await employees.now(), nothing);
  const readAt = await employees.now();
  await employees.remove('MP-1', 'HR-EMP-00001');
  await employees.replace(list(1, 2), readAt, nothing);
  expect(await numbers()).toEqual(['MP-2']);
});

it('is rolled back when the last step fails', async () => {
  await employees.replace(list(1), await employees.now(), nothing);
  const failing = employees.replace(list(2), await employees.now(), () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(await numbers()).toEqual(['MP-1']);
});

it('finds direct and indirect reports, also with circular reporting lines', async () => {
  const superiors = { 'MP-2': 'MP-1', 'MP-3': 'MP-2', 'MP-1': null };
  const lines = list(1, 2, 3).map(one => ({
    ...one,
    reportsTo: new Map(Object.entries(superiors)).get(one.number) ?? null,
  }));
  await employees.replace(lines, await employees.now(), nothing);
  expect(await employees.isBelow('MP-3', 'MP-1')).toBe(true);
  expect(await employees.isBelow('MP-1', 'MP-3')).toBe(false);
  await employees.put({ ...aListed(lines[0]), reportsTo: 'MP-3' });
  expect(await employees.isBelow('MP-1', 'MP-9')).toBe(false);
});

function aListed(employee: EmployeeView | undefined): EmployeeView {
  if (!employee) throw new Error('the list is too short');
  return employee;
}
