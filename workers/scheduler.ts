/** The scheduler process: makes the jobs of schedules when they are due, and works on none of them. */
import { z } from 'zod';
import { AlertConfig } from '../core/alerts/config.ts';
import { startAlertWatch } from '../core/alerts/monitor.ts';
import { openParts, PartsConfig } from '../core/app.ts';
import { type RunningProcess, runProcess } from '../core/cli/run-process.ts';
import { systemConfigs } from '../core/integrations/kit/discover.ts';
import { discoverContracts } from '../core/jobs/discover.ts';
import { ConfigurationError, readConfig } from '../core/runtime/config.ts';
import { isOff, type ScheduleConfig } from '../core/schedules/config.ts';
import { type Schedule, schedulesOf } from '../core/schedules/schedule.ts';
import type { Logger } from '../core/telemetry/logger.ts';
import { startClock } from './runtime/scheduler-loop.ts';

const Config = z.object({ ...PartsConfig.shape });

async function start(config: z.infer<typeof Config>, logger: Logger): Promise<RunningProcess> {
  const contracts = await discoverContracts();
  const schedules = followed(schedulesOf(contracts), config);
  const parts = await openParts(config, 'scheduler', logger);
  const clock = await startClock(schedules, parts);
  const alerts = await startAlertWatch(parts, {
    alerts: readConfig(AlertConfig),
    service: config,
    contracts,
  });
  logger.info({ schedules: schedules.map(({ name }) => name) }, 'the scheduler follows its schedules');
  process.send?.({ ready: clock.id });

  return {
    async stop() {
      await clock.stop();
      await alerts.stop();
      await parts.close();
    },
  };
}

/** @throws ConfigurationError naming those of SCHEDULES_OFF that are not there */
function followed(schedules: ReadonlyMap<string, Schedule>, config: ScheduleConfig): Schedule[] {
  const unknown = (config.SCHEDULES_OFF ?? []).filter(name => name !== 'all' && !schedules.has(name));
  if (unknown.length > 0) {
    throw new ConfigurationError(
      `SCHEDULES_OFF names what is no schedule: ${unknown.join(', ')}. There are ${[...schedules.keys()].join(', ')}.`,
    );
  }
  return [...schedules.values()].filter(({ name }) => !isOff(name, config));
}

await runProcess('scheduler', Config, start, async () => [AlertConfig, ...(await systemConfigs())]);
