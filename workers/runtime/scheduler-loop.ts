/** Runs schedules while the scheduler process is up: node-cron wakes it at each due time, and a poll catches the rest. */
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import cron from 'node-cron';
import type { AppContext } from '../../core/app.ts';
import { startInterval } from '../../core/runtime/interval.ts';
import { createScheduleRuns } from '../../core/schedules/runs.ts';
import { registrationOf, type Schedule, schedulerHeartbeat } from '../../core/schedules/schedule.ts';
import { openScheduleService } from '../../core/schedules/service.ts';
import type { Logger } from '../../core/telemetry/logger.ts';

/** Covers what no timer wakes: an outage of the database, a machine's sleep, a run that waits for the previous job. */
const pollMs = 2_000;
const heartbeatMs = 4_000;

export async function startSchedulerLoop(
  schedules: readonly Schedule[],
  { database, jobs, logger, heartbeats }: Pick<AppContext, 'database' | 'jobs' | 'logger' | 'heartbeats'>,
) {
  const id = `${os.hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const runs = createScheduleRuns(database);
  const service = openScheduleService({ runs, jobs, logger });
  await runs.register(schedules.map(registrationOf));

  // A timer may fire shortly before the time it was set to.
  let wokenFor = 0;
  const polling = startInterval('schedules', pollMs, logger, async () => {
    const now = new Date(Math.max(Date.now(), wokenFor));
    const states = await runs.states();
    for (const schedule of schedules) {
      const state = states.get(schedule.name);
      if (state) await logFailure(schedule.name, logger, service.runDue(schedule, state, now));
    }
  });
  const tasks = schedules.map(({ name, cron: expression, timeZone }) =>
    cron.schedule(
      expression,
      ({ date }) => {
        wokenFor = Math.max(wokenFor, date.getTime());
        polling.runNow();
      },
      { name, timezone: timeZone, logger: debugLogger(logger), suppressMissedWarning: true },
    ),
  );
  const beating = startInterval('heartbeat', heartbeatMs, logger, () =>
    heartbeats.write(id, new Map([[schedulerHeartbeat, 0]])),
  );

  return {
    id,
    heartbeatAge: beating.age,
    /** Waits for runs that are being recorded. */
    async stop() {
      await Promise.all(tasks.map(task => task.destroy()));
      await polling.stop();
      await beating.stop();
      await heartbeats
        .remove(id)
        .catch(error => logger.debug({ err: error }, 'the heartbeats of this scheduler were not deleted'));
    },
  };
}

/** One failing schedule must not delay the others; the next poll tries it again. */
async function logFailure(schedule: string, logger: Logger, running: Promise<void>): Promise<void> {
  await running.catch(error =>
    logger.error({ err: error, schedule }, 'the due runs of a schedule could not be recorded; will retry'),
  );
}

/** node-cron warns of missed timers, which the poll covers. */
const debugLogger = (logger: Logger) => ({
  info: (message: string) => logger.debug(message),
  warn: (message: string) => logger.debug(message),
  error: (message: string | Error) => logger.debug({ err: message }, 'node-cron'),
  debug: (message: string | Error) => logger.debug({ err: message }, 'node-cron'),
});
