/** Sends mail over SMTP. */
import { createTransport } from 'nodemailer';
import { ServiceError } from '../runtime/errors.ts';
import type { Logger } from '../telemetry/logger.ts';

interface Mail {
  /** The same for each try: the mail's Message-ID is made of it, by which mail servers tell repetitions. */
  id: string;
  to: readonly string[];
  subject: string;
  html: string;
  text: string;
}

export interface Mailer {
  /** @throws ServiceError `upstream-failed`; not passing when the server will not take the mail at all */
  send(mail: Mail): Promise<void>;
  close(): void;
}

interface MailerConfig {
  SMTP_URL: string;
  MAIL_FROM: string;
}

const timeoutMs = 20_000;

export function openMailer({ SMTP_URL: url, MAIL_FROM: from }: MailerConfig, logger: Logger): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^\s>]+)>?$/.exec(from)?.[1] ?? 'portal-service';

  return {
    async send({ id, to, subject, html, text }) {
      const sent = await transport
        .sendMail({
          messageId: `<${id}@${domain}>`,
          from,
          to: [...to],
          subject,
          html,
          text,
          // No out-of-office notes in return.
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        })
        .catch(error => {
          throw notSent(error);
        });
      if (sent.rejected.length > 0)
        logger.warn({ rejected: sent.rejected.length, mailId: id }, 'some receivers of a mail were refused');
    },
    close: () => transport.close(),
  };
}

/** Without the server's sentence, which may repeat an address. */
function notSent(error: unknown): ServiceError {
  const of = (name: string): unknown =>
    typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined;
  const said = [of('code'), of('responseCode'), of('command')].filter(one => one !== undefined).join(' ');
  const status = of('responseCode');
  return new ServiceError(
    'upstream-failed',
    `The mail server did not take the mail (${said || 'unknown'}).`,
    {
      passing: !(typeof status === 'number' && status >= 500),
    },
  );
}
