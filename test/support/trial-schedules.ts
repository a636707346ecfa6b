/** Schedules of the trial jobs: one for each misfire policy, and one that is due every second. */
import type { JobContract, MissedPolicy, ScheduleContract } from '../../core/jobs/contract.ts';
import { soloJob, trialContracts } from './trial-jobs.ts';

const hourly = (missed: MissedPolicy): ScheduleContract<{ name: string }> => ({
  name: `hourly-${missed}`,
  summary: `Does its work every hour, and of what was missed ${missed}.`,
  cron: '0 * * * *',
  missed,
  payload: { name: `hourly-${missed}` },
});

export const hourlyContracts: ReadonlyMap<string, JobContract> = new Map<string, JobContract>([
  ...trialContracts,
  ['solo', { ...soloJob, schedules: [hourly('latest'), hourly('all'), hourly('skip')] }],
]);

export const everySecondContracts: ReadonlyMap<string, JobContract> = new Map<string, JobContract>([
  [
    'solo',
    {
      ...soloJob,
      schedules: [
        {
          name: 'every-second',
          summary: 'Does its work every second.',
          cron: '* * * * * *',
          missed: 'skip',
          payload: { name: 'every-second' },
        },
      ],
    },
  ],
]);
