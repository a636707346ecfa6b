/** The balance at the SMS gateway: read once per period by all processes, and unknown while the gateway is down. */
import { pino } from 'pino';
import { beforeEach, expect, it } from 'vitest';
import { readBalance } from '../../../../../core/domain/telephony/read-balance.ts';
import { lastBalance } from '../../../../../core/domain/telephony/sms-repository.ts';
import { createCallBudgets } from '../../../../../core/integrations/kit/call-budget.ts';
import { openIntegrationContext } from '../../../../../core/integrations/kit/context.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const logger = pino({ level: 'silent' });
const { database } = await useTestDatabase('read-balance');
const sandbox = useSandbox();
beforeEach(async () => void (await database.pool.query('truncate sms_balance')));

const gateway = (env: Record<string, string>) => ({
  database,
  logger,
  systems: openIntegrationContext({ env, sandboxUrl: sandbox.url, budgets: createCallBudgets(database), logger }),
});
const configured = () =>
  gateway({ SMS_URL: `${sandbox.url}/telephony`, SMS_USERNAME: 'sandbox', SMS_PASSWORD: 'sandbox' });

it('is read once per period, and never from the sandbox', async () => {
  await readBalance(gateway({}));
  expect(await database.pool.query('select from sms_balance')).toMatchObject({ rowCount: 0 });
  await readBalance(configured());
  await readBalance(configured());
  expect(await database.pool.query('select from sms_balance')).toMatchObject({ rowCount: 1 });
  expect(await lastBalance(database)).toMatchObject({ amount: expect.any(Number), currency: 'AED' });
});

it('is unknown while the gateway is down', async () => {
  await readBalance(gateway({ SMS_URL: 'http://127.0.0.1:1' }));
  const { rows } = await database.pool.query('select amount from sms_balance');
  expect(rows).toEqual([{ amount: null }]);
  expect(await lastBalance(database)).toBeUndefined();
});
