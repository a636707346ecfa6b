/** The alternative to deleting an employee to whom other documents link: the status Left. */
import { z } from 'zod';
import type { Employee, EmployeeChange } from '../../integrations/employee-records/employee.ts';
import { dubaiDayOf } from '../../values/dubai-time.ts';

export const OnLinked = z.enum(['refuse', 'set-left'], { error: 'must be refuse or set-left' });
export type OnLinked = z.infer<typeof OnLinked>;

/** The change that sets an employee to Left; by default on the day that the record already has, else today. */
export const leavingChange = (
  { relievingDate }: Pick<Employee, 'relievingDate'>,
  given: string | undefined,
): EmployeeChange & { relievingDate: string } => ({
  status: 'Left',
  relievingDate: given ?? relievingDate ?? dubaiDayOf(new Date()),
});
