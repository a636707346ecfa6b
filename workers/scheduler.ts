/** The scheduler process: creates the jobs of schedules when they are due, and sends notifications; runs no jobs. */
import { z } from 'zod';
import { AppConfig, openApp } from '../core/app.ts';
import { type RunningProcess, runProcess } from '../core/cli/run-process.ts';
import { answerHelp } from '../core/cli/usage.ts';
import { readBalance } from '../core/domain/telephony/read-balance.ts';
import { systemConfigs } from '../core/integrations/kit/define-system.ts';
import { discoverContracts } from '../core/jobs/discover.ts';
import { NotifyConfig } from '../core/notifications/config.ts';
import { startNotifications } from '../core/notifications/deliver.ts';
import { ConfigurationError } from '../core/runtime/config.ts';
import { startInterval } from '../core/runtime/interval.ts';
import { publicUrl, type ServiceConfig } from '../core/runtime/service-config.ts';
import { offReasonOf, type ScheduleConfig } from '../core/schedules/config.ts';
import { requireValidSchedules, type Schedule, schedulesOf } from '../core/schedules/schedule.ts';
import type { Logger } from '../core/telemetry/logger.ts';
import { startSchedulerLoop } from './runtime/scheduler-loop.ts';

answerHelp('npm run scheduler   starts the jobs of schedules, and sends notifications\n\nSettings: .env.example');

const Config = z.object({ ...AppConfig.shape });

/** The gateway is asked less often, by one process. */
const balanceEveryMs = 60_000;

async function start(config: z.infer<typeof Config>, logger: Logger): Promise<RunningProcess> {
  const contracts = await discoverContracts();
  const declared = schedulesOf(contracts);
  requireValidSchedules(declared.values());
  const schedules = activeSchedules(declared, config);
  const app = await openApp(config, 'scheduler', logger);
  const loop = await startSchedulerLoop(schedules, app);
  const notifications = await startNotifications(app, config, `${publicUrl(config)}${config.BASE_PATH}/ops`);
  const balance = startInterval('SMS balance', balanceEveryMs, logger, () => readBalance(app));
  logger.info({ schedules: schedules.map(({ name }) => name) }, 'scheduler started');
  process.send?.({ ready: loop.id });

  return {
    heartbeatAge: loop.heartbeatAge,
    async stop() {
      await loop.stop();
      await notifications.stop();
      await balance.stop();
      await app.close();
    },
  };
}

/** @throws ConfigurationError when SCHEDULES_OFF contains an unknown name */
function activeSchedules(
  schedules: ReadonlyMap<string, Schedule>,
  config: ScheduleConfig & Pick<ServiceConfig, 'NODE_ENV'>,
): Schedule[] {
  const unknown = (config.SCHEDULES_OFF ?? []).filter(name => name !== 'all' && !schedules.has(name));
  if (unknown.length > 0) {
    throw new ConfigurationError(
      `SCHEDULES_OFF contains unknown schedules: ${unknown.join(', ')}. The schedules are ${[...schedules.keys()].join(', ')}.`,
    );
  }
  return [...schedules.values()].filter(schedule => !offReasonOf(schedule, config));
}

await runProcess('scheduler', Config, start, async () => [NotifyConfig, ...(await systemConfigs())]);
