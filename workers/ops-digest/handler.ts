/** Collects the digest and mails it. */
import { z } from 'zod';
import { defineHandler, type JobSuccess } from '../../core/jobs/handler.ts';
import { openMailer } from '../../core/mail/mailer.ts';
import { openMailTemplate } from '../../core/mail/template.ts';
import { publicUrl } from '../../core/runtime/service-config.ts';
import type { Logger } from '../../core/telemetry/logger.ts';
import type { WorkerServices } from '../services.ts';
import { collectDigest } from './collect-digest.ts';
import { DigestConfig } from './config.ts';
import contract, { type Digest, type SentDigest } from './contract.ts';
import { digestSubject, digestView } from './digest-view.ts';

export default defineHandler({
  job: contract,
  config: DigestConfig,
  async open(digestConfig, { config, database, effects, logger }: WorkerServices) {
    const page = `${publicUrl(config)}${config.BASE_PATH}/ops`;
    const mailer = await openDigestMailer(digestConfig, page, logger);
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
            await mailer.send(context.jobId, digest);
            return {};
          },
        });
        return { result: { ...digest, mail: repeated ? 'sent-before' : 'sent' } };
      },
      close: async () => mailer?.close(),
    };
  },
});

/** Undefined without a mail server or a receiver. @param page address of the operations page */
async function openDigestMailer(
  { SMTP_URL, MAIL_FROM, ALERT_MAIL_TO = [], DIGEST_MAIL_TO: to = ALERT_MAIL_TO }: z.infer<typeof DigestConfig>,
  page: string,
  logger: Logger,
) {
  if (SMTP_URL === undefined || MAIL_FROM === undefined || to.length === 0) return undefined;
  const mailer = await openMailer({ SMTP_URL, MAIL_FROM }, logger);
  const template = await openMailTemplate('digest');
  return {
    async send(id: string, digest: Digest): Promise<void> {
      const subject = digestSubject(digest);
      await mailer.send({ id, to, subject, ...(await template.render(digestView(digest, subject, page))) });
    },
    close: mailer.close,
  };
}
