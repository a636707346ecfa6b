/** A process that tries to reserve a marketing message of one number, and prints the outcome. Arguments: database URL, number of the process. */
import { pino } from 'pino';
import { createSmsMessages } from '../../core/domain/telephony/sms-repository.ts';
import { openDatabase } from '../../core/postgres/client.ts';

const [url = '', number = ''] = process.argv.slice(2);
const logger = pino({ level: 'silent' });
const database = openDatabase({ url, poolSize: 1, logger, applicationName: 'test' });
const message = {
  id: `sms_${number}`,
  clientId: `client-${number}`,
  kind: 'marketing',
  sender: 'AD-PALM',
  parts: 1,
  contact: 'a number',
  consent: { source: 'form', at: '2026-01-31T08:00:00Z' },
  marketingDay: '2026-02-01',
} as const;
process.stdout.write(await createSmsMessages(database).reserve(message, new Date(0), 10));
await database.close();
