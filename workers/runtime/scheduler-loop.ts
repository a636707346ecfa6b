/** Follows schedules while the scheduler runs: node-cron wakes it at each due time, the ledger tells what is to be done. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import cron from 'node-cron';
import type { Parts } from '../../core/app.ts';
import { repeat } from '../../core/runtime/interval.ts';
import { createFires } from '../../core/schedules/runs.ts';
import { knownOf, type Schedule, schedulerSign } from '../../core/schedules/schedule.ts';
import { openScheduleDesk } from '../../core/schedules/service.ts';
import type { Logger } from '../../core/telemetry/logger.ts';

export type ClockParts = Pick<Parts, 'database' | 'desk' | 'logger' | 'signs'>;

export interface ScheduleClock {
  id: string;
  /** Lets what is being settled be settled. */
  stop(): Promise<void>;
}

/** Also without a wake-up: after an outage of the database, a sleep of the machine, a job that others wait for. */
const lookEveryMs = 2_000;
const signEveryMs = 4_000;

/** Touched with each sign of life: a container's health check looks at its age. */
const aliveFile = path.join(os.tmpdir(), 'portal-scheduler-alive');

export async function startClock(schedules: readonly Schedule[], parts: ClockParts): Promise<ScheduleClock> {
  const { desk, logger, signs } = parts;
  const id = `${os.hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const fires = createFires(parts.database);
  const scheduleDesk = openScheduleDesk({ fires, desk, logger });
  await fires.know(schedules.map(knownOf));

  // A timer may go off a moment before the time it is set to.
  let wokenFor = 0;
  const looking = repeat('schedules', lookEveryMs, logger, async () => {
    const now = new Date(Math.max(Date.now(), wokenFor));
    const states = await fires.states();
    for (const schedule of schedules) {
      const state = states.get(schedule.name);
      if (state) await settleAlone(schedule.name, logger, scheduleDesk.settleDue(schedule, state, now));
    }
  });
  const tasks = schedules.map(({ name, cron: expression, timeZone }) =>
    cron.schedule(
      expression,
      ({ date }) => {
        wokenFor = Math.max(wokenFor, date.getTime());
        looking.now();
      },
      { name, timezone: timeZone, logger: quietLogger(logger), suppressMissedWarning: true },
    ),
  );
  const signing = repeat('sign of life', signEveryMs, logger, async () => {
    await signs.write(id, new Map([[schedulerSign, 0]]));
    await writeFile(aliveFile, id);
  });

  return {
    id,
    async stop() {
      await Promise.all(tasks.map(task => task.destroy()));
      await looking.stop();
      await signing.stop();
      await signs.remove(id);
    },
  };
}

/** A schedule that cannot be settled just now must not hold up the others; the next look tries again. */
async function settleAlone(schedule: string, logger: Logger, settling: Promise<void>): Promise<void> {
  await settling.catch(error =>
    logger.error({ err: error, schedule }, 'a schedule could not be settled; tried again'),
  );
}

/** What node-cron has to say is about wake-ups, and the looks between them make up for those. */
const quietLogger = (logger: Logger) => ({
  info: (message: string) => logger.debug(message),
  warn: (message: string) => logger.debug(message),
  error: (message: string | Error) => logger.debug({ err: message }, 'node-cron'),
  debug: (message: string | Error) => logger.debug({ err: message }, 'node-cron'),
});
