/** Snapshots of the employee records: they say themselves how long they are kept. */
import { createEmployeeSnapshots } from '../../../core/db/employee-snapshots.ts';
import { defineTask } from '../task.ts';

export default defineTask({
  name: 'employee-snapshots',
  run: async ({ database }) => ({
    counts: { snapshots: await createEmployeeSnapshots(database).deleteExpired() },
    finished: true,
  }),
});
