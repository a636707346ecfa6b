/** Schedules are to be followed, and no scheduler is there. */

import { createWorkerSigns } from '../../jobs/repository/heartbeats.ts';
import { createFires } from '../../schedules/runs.ts';
import { schedulerSign } from '../../schedules/schedule.ts';
import { counted } from '../duration-text.ts';
import { defineRule, wholeService } from '../rule.ts';

export default defineRule({
  id: 'no-scheduler',
  severity: 'critical',
  summary: 'Schedules have been followed before, and no scheduler is alive.',
  mend:
    'Start a scheduler (npm run scheduler, or docker compose up -d scheduler); its log says why it ended. What fell ' +
    'due meanwhile it makes up for as each schedule says.',
  lastsSeconds: 60,
  async find({ database, schedules }) {
    const signs = await createWorkerSigns(database).read();
    if (signs.some(({ kind, alive }) => kind === schedulerSign && alive > 0)) return [];
    const states = await createFires(database).states();
    const known = [...schedules.keys()].filter(name => states.has(name));
    if (known.length === 0) return [];
    return [
      {
        subject: wholeService,
        what: `No scheduler is alive: ${counted(known.length, 'schedule')} not fired.`,
      },
    ];
  },
});
