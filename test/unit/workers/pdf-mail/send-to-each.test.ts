/** What an effect's outcome is when a mail cannot be prepared, against a ledger in memory. */
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { OneTimeEffect } from '../../../../core/effects/ledger.ts';
import { definitelyNotExecuted } from '../../../../core/integrations/kit/upstream-error.ts';
import { sendToEach } from '../../../../workers/pdf-mail/send-to-each.ts';
import { jobContext } from '../../../support/job-context.ts';

const mail = { subject: 'Villa', html: '<p>Villa</p>', text: 'Villa' };

/** Records the keys of effects whose outcome the ledger would not know. */
function openEffects() {
  const unknown: string[] = [];
  return {
    unknown,
    async once<R extends z.ZodType>({ key, result, execute }: OneTimeEffect<R>) {
      try {
        return { result: result.parse(await execute()), repeated: false };
      } catch (error) {
        if (!definitelyNotExecuted(error)) unknown.push(key);
        throw error;
      }
    },
    appendMissing: () => Promise.reject(new Error('not used')),
    onceEach: () => Promise.reject(new Error('not used')),
    exclusively: () => Promise.reject(new Error('not used')),
  };
}

describe('a mail that cannot be prepared', () => {
  it('is tried again: its outcome is known', async () => {
    const effects = openEffects();
    const sent: string[] = [];
    const mailer = {
      send: async ({ to }: { to: readonly string[] }) => void sent.push(...to),
      close: () => undefined,
    };
    let failures = 1;
    const mailWith = async () => {
      if (failures-- > 0) throw new TypeError('the template is broken');
      return mail;
    };
    const send = () =>
      sendToEach([{ address: 'a@b.example', hasOptedOut: false }], { mailWith, hasFile: false }, jobContext(), {
        effects,
        mailer,
      });
    await expect(send()).rejects.toMatchObject({ code: 'internal-error', transient: true });
    expect([effects.unknown, sent]).toEqual([[], []]);
    expect(await send()).toEqual({ sent: 1, attached: false });
    expect(sent).toEqual(['a@b.example']);
  });
});
