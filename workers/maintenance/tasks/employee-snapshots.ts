/** Snapshots of the employee records: they say themselves how long they are kept. */
import { createEmployeeSnapshots } from '../../../core/domain/employees/snapshots.ts';
import { defineTask } from '../task.ts';

export default defineTask({
  name: 'employee-snapshots',
  run: async ({ database }) => ({
    counts: { snapshots: await createEmployeeSnapshots(database).deleteExpired() },
    finished: true,
  }),
});
