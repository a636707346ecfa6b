/** Reads the balance at the SMS gateway every 15 minutes, for the metrics and the operations pages. */
import type { Logger } from 'pino';
import { withCallContext } from '../../integrations/kit/call-context.ts';
import type { IntegrationContext } from '../../integrations/kit/context.ts';
import smsGateway from '../../integrations/sms-gateway/system.ts';
import type { Database } from '../../postgres/client.ts';
import { createTimeout, untilAborted } from '../../runtime/timeout.ts';
import { storeBalance, wasAskedWithin } from './sms-repository.ts';

/** For all processes together. */
const everySeconds = 900;
const timeoutMs = 5_000;

interface BalanceContext {
  database: Database;
  systems: IntegrationContext;
  logger: Logger;
}

/** Does nothing without a configured gateway: the sandbox has no real balance. */
export async function readBalance({ database, systems, logger }: BalanceContext): Promise<void> {
  if (systems.sourceOf(smsGateway.configuredBy) !== 'configured') return;
  if (await wasAskedWithin(database, everySeconds)) return;
  const time = createTimeout(timeoutMs);
  const asked = withCallContext({ priority: 'background', retries: false, signal: time.signal }, () =>
    smsGateway.client(systems).balance(),
  );
  const read = await untilAborted(asked, time.signal)
    .catch(error => {
      logger.warn({ err: error }, 'the balance at the SMS gateway could not be read');
      return undefined;
    })
    .finally(time.clear);
  const amount = Number(read?.balance);
  await storeBalance(database, read && Number.isFinite(amount) ? { amount, currency: read.currency } : undefined);
}
