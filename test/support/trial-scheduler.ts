/** A scheduler process as in production, with the trial schedule that is due every second. */
import { z } from 'zod';
import { AppConfig, openApp } from '../../core/app.ts';
import { runProcess } from '../../core/cli/run-process.ts';
import { schedulesOf } from '../../core/schedules/schedule.ts';
import { startSchedulerLoop } from '../../workers/runtime/scheduler-loop.ts';
import { everySecondContracts } from './trial-schedules.ts';

await runProcess('trial-scheduler', z.object({ ...AppConfig.shape }), async (config, logger) => {
  const parts = await openApp(config, 'trial-scheduler', logger);
  const clock = await startSchedulerLoop([...schedulesOf(everySecondContracts).values()], parts);
  process.send?.({ ready: clock.id });
  return {
    async stop() {
      await clock.stop();
      await parts.close();
    },
  };
});
