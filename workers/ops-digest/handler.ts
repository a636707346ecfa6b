/** Collects the digest and mails it. */
import { z } from 'zod';
import { AlertConfig } from '../../core/alerts/config.ts';
import { defineHandler, type JobSuccess } from '../../core/jobs/handler.ts';
import { mailAddresses } from '../../core/mail/config.ts';
import { openMailSender } from '../../core/mail/template.ts';
import { publicUrl } from '../../core/runtime/service-config.ts';
import type { WorkerServices } from '../services.ts';
import { collectDigest } from './collect-digest.ts';
import contract, { type SentDigest } from './contract.ts';
import { digestSubject, digestView } from './digest-view.ts';

const { SMTP_URL, MAIL_FROM, ALERT_MAIL_TO: receivers } = AlertConfig.shape;

export const DigestConfig = z.object({
  ...{ SMTP_URL, MAIL_FROM, ALERT_MAIL_TO: receivers },
  DIGEST_MAIL_TO: mailAddresses
    .optional()
    .describe('Receivers of the daily digest mail, separated by commas; unset: those of ALERT_MAIL_TO.'),
});

export default defineHandler({
  job: contract,
  config: DigestConfig,
  async open(digestConfig, { config, database, effects, logger }: WorkerServices) {
    const page = `${publicUrl(config)}${config.BASE_PATH}/ops`;
    const { DIGEST_MAIL_TO, ALERT_MAIL_TO = [] } = digestConfig;
    const mailer = await openMailSender('digest', { ...digestConfig, to: DIGEST_MAIL_TO ?? ALERT_MAIL_TO }, logger);
    return {
      async handle(_, context): Promise<JobSuccess<SentDigest>> {
        const digest = await collectDigest(database, new Date());
        if (!mailer) {
          context.warn({
            pointer: '',
            code: 'mail-not-configured',
            detail: 'The digest was not sent: set SMTP_URL, MAIL_FROM, and DIGEST_MAIL_TO or ALERT_MAIL_TO.',
          });
          return { result: { ...digest, mail: 'not-configured' } };
        }
        const { repeated } = await effects.once({
          key: `ops-digest:${digest.day}`,
          kind: 'ops-digest',
          system: 'mail',
          result: z.object({}),
          // A mail server cannot be asked for sent mails. A repeat has the same Message-ID, so receivers can discard it.
          find: async () => undefined,
          execute: async () => {
            const subject = digestSubject(digest);
            await mailer.send(context.jobId, subject, digestView(digest, subject, page));
            return {};
          },
        });
        return { result: { ...digest, mail: repeated ? 'sent-before' : 'sent' } };
      },
      close: async () => mailer?.close(),
    };
  },
});
