/** Simulates telephony: an operator's SMS gateway and the do-not-call registry. */
import { z } from 'zod';
import { defineSandboxSystem } from '../kit/sandbox-system.ts';
import { addGateway, type Message } from './gateway.ts';
import { addRegistry } from './registry.ts';

export default defineSandboxSystem({
  title: 'Telephony (SMS gateway after e& Smart Messaging; do-not-call registry)',
  settings: z.object({
    balance: z.number().default(5_000).describe('Balance before the first message, in AED.'),
    pricePerPart: z.number().default(0.08).describe('Price of one SMS part, in AED.'),
    messyData: z.boolean().default(false).describe('Whether rows are served in odd forms, as real accounts have them.'),
    tokenSeconds: z.int().min(1).default(3_600).describe('Lifetime of a gateway token, in seconds.'),
  }),
  faults: {
    'error-500': { status: 500, body: { code: 'SYS-500', message: 'Internal error' } },
    limit: { status: 429, headers: { 'retry-after': '1' }, body: { code: 'THROTTLED', message: 'Too many requests' } },
    unauthorized: { status: 401, body: { code: 'AUTH-401', message: 'Invalid or expired token' } },
  },
  open({ collection, settings, onReset }) {
    const messages = collection<Message>('messages', { seed: () => [], key: message => message.jobId });
    return async app => {
      addGateway(app, { messages, settings, onReset });
      addRegistry(app, () => settings.messyData);
    };
  },
});
