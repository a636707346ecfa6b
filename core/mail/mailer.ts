/** Sends mail over SMTP. */
import { ServiceError } from '../runtime/errors.ts';
import type { Logger } from '../telemetry/logger.ts';

interface Mail {
  /** The same for each attempt: it forms the Message-ID, by which mail servers detect duplicates. */
  id: string;
  to: readonly string[];
  subject: string;
  html: string;
  text: string;
}

const timeoutMs = 20_000;

/** The same limit for each step of nodemailer. */
export const mailTimeouts = (ms: number) =>
  ({ connectionTimeout: ms, greetingTimeout: ms, socketTimeout: ms, dnsTimeout: ms }) as const;

export async function openMailer(config: { SMTP_URL: string; MAIL_FROM: string }, logger: Logger) {
  const { SMTP_URL: url, MAIL_FROM: from } = config;
  // Loaded here, because most processes send no mail.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url,
    ...mailTimeouts(timeoutMs),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^\s>]+)>?$/.exec(from)?.[1] ?? 'portal-service';

  return {
    /** @throws ServiceError `upstream-failed`; not transient when the server rejects the mail permanently */
    async send({ id, to, subject, html, text }: Mail): Promise<void> {
      const sent = await transport
        .sendMail({
          messageId: `<${id}@${domain}>`,
          from,
          to: [...to],
          subject,
          html,
          text,
          // Prevents automatic replies.
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        })
        .catch(error => {
          throw notSent(error);
        });
      if (sent.rejected.length > 0)
        logger.warn({ rejected: sent.rejected.length, mailId: id }, 'the mail server rejected some recipients');
    },
    close: () => transport.close(),
  };
}

/** Without the server's text, which may contain an address. */
function notSent(error: unknown): ServiceError {
  const member = (name: string): unknown =>
    typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined;
  const status = member('responseCode');
  const details = [member('code'), status, member('command')].filter(value => value !== undefined).join(' ');
  return new ServiceError('upstream-failed', `The mail server did not accept the mail (${details || 'unknown'}).`, {
    transient: !(typeof status === 'number' && status >= 500),
  });
}
