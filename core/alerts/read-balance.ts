/** Asks the SMS gateway for the balance now and then, and keeps what it says for the rules and the digest. */
import type { Logger } from 'pino';
import { keepBalance, wasAskedWithin } from '../domain/telephony/sms-balances.ts';
import { inCallScope } from '../integrations/kit/call-context.ts';
import type { SystemGround } from '../integrations/kit/context.ts';
import smsGateway from '../integrations/sms-gateway/system.ts';
import type { Database } from '../postgres/client.ts';
import { timeBound, untilAborted } from '../runtime/timeout.ts';

/** Whoever asks: the gateway is asked once in this time, in seconds. */
const everySeconds = 900;
/** The rules wait for the answer, and a next time comes soon enough: one try, in ms. */
const timeoutMs = 5_000;

export interface BalanceParts {
  database: Database;
  systems: SystemGround;
  logger: Logger;
}

/** Does nothing where no gateway is configured: what the sandbox says is nobody's balance. */
export async function readBalance({ database, systems, logger }: BalanceParts): Promise<void> {
  if (systems.sourceOf(smsGateway.configuredBy) !== 'configured') return;
  if (await wasAskedWithin(database, everySeconds)) return;
  const time = timeBound(timeoutMs);
  const asked = inCallScope({ priority: 'background', repeats: false, signal: time.signal }, () =>
    smsGateway.at(systems).balance(),
  );
  const read = await untilAborted(asked, time.signal)
    .catch(error => {
      logger.warn({ err: error }, 'the balance at the SMS gateway could not be read');
      return undefined;
    })
    .finally(time.release);
  const amount = Number(read?.balance);
  await keepBalance(
    database,
    read && Number.isFinite(amount) ? { amount, currency: read.currency } : undefined,
  );
}
