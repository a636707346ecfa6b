/** A scheduler process as in production, but of the trial schedule that is due every second. */
import { z } from 'zod';
import { openParts, PartsConfig } from '../../core/app.ts';
import { runProcess } from '../../core/runtime/process.ts';
import { schedulesOf } from '../../core/schedules/schedule.ts';
import { startClock } from '../../workers/runtime/scheduler-loop.ts';
import { everySecondContracts } from './trial-schedules.ts';

await runProcess('trial-scheduler', z.object({ ...PartsConfig.shape }), async (config, logger) => {
  const parts = await openParts(config, 'trial-scheduler', logger);
  const clock = await startClock([...schedulesOf(everySecondContracts).values()], parts);
  process.send?.({ ready: clock.id });
  return {
    async stop() {
      await clock.stop();
      await parts.close();
    },
  };
});
