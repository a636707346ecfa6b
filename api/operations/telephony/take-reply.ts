import { z } from 'zod';
import { hashOf } from '../../../core/domain/consent/contact.ts';
import { createSuppressions } from '../../../core/domain/consent/suppressions.ts';
import { invalidInput } from '../../../core/runtime/errors.ts';
import { toE164 } from '../../../core/values/phone-number.ts';
import { actorOf, defineOperation, ok } from '../../http/operation.ts';

/** Alone or followed by the sender, as in the operators' `B <sender>`. */
const stopWords =
  /^(?:stop|stopall|unsubscribe|cancel|end|quit|opt ?out|b|توقف|إيقاف|ايقاف|إلغاء|الغاء)(?:\s|[.!]|$)/iu;

export default defineOperation({
  summary: 'Take a reply to an SMS from the gateway: STOP, in English or Arabic, stops marketing to the number.',
  id: 'telephony.takeReply',
  route: 'POST /apps/telephony/v1/sms/replies',
  scope: 'telephony',
  request: {
    body: z
      .object({
        from: z.string().max(40).describe('The person’s phone number.'),
        text: z.string().max(2_000).describe('The reply; it is not stored.'),
      })
      .meta({ examples: [{ from: '+971501234561', text: 'STOP' }] }),
  },
  answers: {
    200: {
      description: 'Whether the reply stopped marketing.',
      schema: z
        .object({ stopped: z.boolean().describe('False for every other text.') })
        .meta({ examples: [{ stopped: true }] }),
    },
  },
  async handle({ body: { from, text } }, call) {
    const { database, secrets } = call.services;
    const number = toE164(from);
    if (number === undefined) throw invalidInput([{ pointer: '/from', detail: 'is not a phone number' }]);
    const stopped = stopWords.test(text.trim());
    if (stopped) await createSuppressions(database).add(await hashOf(number, secrets), 'reply', actorOf(call));
    return ok({ stopped });
  },
});
