/** Watches over the service while a process runs: looks for what must not be, and tells of it. */

import type { JobContract } from '../jobs/contract.ts';
import { type Repetition, repeat } from '../runtime/interval.ts';
import { publicUrl, type ServiceConfig } from '../runtime/service-config.ts';
import { isOff, type ScheduleConfig } from '../schedules/config.ts';
import { schedulesOf } from '../schedules/schedule.ts';
import type { Channel } from './alert.ts';
import type { AlertConfig } from './config.ts';
import { deliver, type Sender } from './deliver.ts';
import { look } from './evaluate.ts';
import { openMailSender } from './mail-sender.ts';
import { createAlertMessages } from './outbox.ts';
import { type BalanceParts, readBalance } from './read-balance.ts';
import { discoverRules } from './rule.ts';
import { createAlertLooks } from './store.ts';
import { openWebhookSender } from './webhook-sender.ts';

export interface WatchOptions {
  alerts: AlertConfig;
  service: ServiceConfig & ScheduleConfig;
  contracts: ReadonlyMap<string, JobContract>;
  /** How often it is looked for, whichever process does it, in ms. */
  everyMs?: number;
  /** Waits before each further try to send a message; after the last it is given up. */
  retrySeconds?: readonly number[];
}

export interface AlertWatch {
  /** Looks at once, or right after the look under way. */
  now(): void;
  /** Waits for what is under way. */
  stop(): Promise<void>;
}

const usualEveryMs = 30_000;
/** Some 27 hours together. */
const usualRetrySeconds = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200];
/** How often it is asked for messages that other processes wrote, or that are to be tried again. */
const deliverEveryMs = 5_000;

/** Any number of processes may watch: each look is taken by one of them, and each message is sent by one. */
export async function startAlertWatch(parts: BalanceParts, options: WatchOptions): Promise<AlertWatch> {
  const { alerts, service, contracts } = options;
  const { everyMs = usualEveryMs, retrySeconds = usualRetrySeconds } = options;
  const { database, logger } = parts;
  const rules = await discoverRules();
  const schedules = new Map([...schedulesOf(contracts)].filter(([name]) => !isOff(name, service)));
  const senders = await openSenders(alerts, service, parts);
  const looks = createAlertLooks(database);
  const messages = createAlertMessages(database);
  const lookOptions = {
    rules,
    receivers: [...senders.keys()],
    remindHours: alerts.ALERT_REMIND_HOURS,
  };

  const delivering = [...senders].map(([channel, sender]) =>
    repeat(`alerts by ${channel}`, Math.min(deliverEveryMs, everyMs), logger, () =>
      deliver(channel, sender, { messages, retrySeconds, logger }),
    ),
  );
  const looking = repeat('alerts', everyMs, logger, async () => {
    // Somewhat less than the time between two turns, so that a timer that is early is not one look less.
    const wasTaken = await looks.take(everyMs * 0.9, async () => {
      await readBalance(parts);
      const ground = { database, limits: alerts, contracts, schedules, now: new Date() };
      await look(looks, ground, lookOptions, logger);
    });
    if (wasTaken) for (const channel of delivering) channel.now();
  });

  return {
    now: looking.now,
    async stop() {
      await looking.stop();
      await Promise.all(delivering.map((one: Repetition) => one.stop()));
      for (const sender of senders.values()) sender.close();
    },
  };
}

async function openSenders(
  alerts: AlertConfig,
  service: ServiceConfig,
  { logger }: Pick<BalanceParts, 'logger'>,
): Promise<Map<Channel, Sender>> {
  const page = `${publicUrl(service)}${service.BASE_PATH}/ops`;
  const senders = new Map<Channel, Sender>();
  const webhook = openWebhookSender(alerts, page);
  if (webhook) senders.set('webhook', webhook);
  const mail = await openMailSender(alerts, page, logger);
  if (mail) senders.set('mail', mail);
  return senders;
}
