/** Sends mail over SMTP. */
import { PassThrough } from 'node:stream';
import { z } from 'zod';
import { ServiceError } from '../runtime/errors.ts';
import type { Logger } from '../telemetry/logger.ts';

interface Attachment {
  content: Buffer;
  contentType: string;
  filename: string;
  /** The name of an image that the HTML shows as `cid:…`. */
  cid?: string;
}

interface Mail {
  /** The same for each attempt: it forms the Message-ID, by which mail servers detect duplicates. */
  id: string;
  to: readonly string[];
  subject: string;
  html: string;
  text: string;
  /** Replaces the name in MAIL_FROM. */
  fromName?: string;
  replyTo?: string | undefined;
  attachments?: readonly Attachment[];
  /** The address that stops marketing mails with one click (RFC 8058). */
  optOutUrl?: string | undefined;
  /** Closes the connection. */
  signal?: AbortSignal;
}

const timeoutMs = 20_000;
/** Servers inspect a message before they answer; a mail without an answer is not sent again (RFC 5321 §4.5.3.2.6). */
const answerTimeoutMs = 180_000;

/** The same limit for each step of nodemailer. */
export const mailTimeouts = (ms: number) =>
  ({ connectionTimeout: ms, greetingTimeout: ms, socketTimeout: ms, dnsTimeout: ms }) as const;

const oneClick = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

export type Mailer = Awaited<ReturnType<typeof openMailer>>;

export async function openMailer(config: { SMTP_URL: string; MAIL_FROM: string }, logger: Logger) {
  const { SMTP_URL: url, MAIL_FROM: from } = config;
  // Loaded here, because most processes send no mail.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url,
    ...mailTimeouts(timeoutMs),
    socketTimeout: answerTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const [, address = from] = /<(.+)>$/.exec(from) ?? [];
  const domain = address.split('@')[1] ?? 'portal-service';
  /** Messages whose last byte was passed to the connection. */
  const written = new Set<string>();
  transport.use('stream', ({ message }, done) => {
    message.transform(
      () =>
        new PassThrough({
          flush(end) {
            written.add(message.messageId());
            end();
          },
        }),
    );
    done();
  });

  return {
    /** @throws MailError; its `outcome` says whether the mail may be sent again */
    async send({ id, to, fromName, optOutUrl, attachments = [], ...mail }: Mail): Promise<void> {
      const messageId = `<${id}@${domain}>`;
      try {
        const sent = await transport.sendMail({
          ...mail,
          messageId,
          from: fromName === undefined ? from : { name: fromName, address },
          to: [...to],
          envelope: envelopeOf(address, to, [mail.html, mail.text, ...attachments.map(({ content }) => content)]),
          attachments: [...attachments],
          // Prevents automatic replies.
          headers: {
            'Auto-Submitted': 'auto-generated',
            'X-Auto-Response-Suppress': 'All',
            ...(optOutUrl !== undefined && oneClick(optOutUrl)),
          },
        });
        if (sent.rejected.length > 0)
          logger.warn({ rejected: sent.rejected.length, mailId: id }, 'the mail server rejected some recipients');
      } catch (error) {
        throw failureOf(error, written.has(messageId));
      } finally {
        written.delete(messageId);
      }
    },
    close: () => transport.close(),
  };
}

/** With the size, so that a server with a limit (RFC 1870) answers before the message is sent; base64 adds 37%. */
function envelopeOf(from: string, to: readonly string[], parts: readonly (string | Buffer)[]) {
  const size = Math.ceil(1.37 * parts.reduce((sum, part) => sum + Buffer.byteLength(part), 2_000));
  return { from, to: [...to], size };
}

/**
 * Why a mail was not sent:
 *
 * - `refused`: the server does not accept this recipient or this message.
 * - `delayed`: it accepts this recipient or this message later (4xx), as with greylisting.
 * - `too-large`: the message is larger than the server accepts.
 * - `unavailable`: the server does not answer, or rejects our login or sender.
 * - `unknown`: the connection ended after the message and before the answer; the server may have sent the mail.
 */
type MailOutcome = 'refused' | 'delayed' | 'too-large' | 'unavailable' | 'unknown';

/** Without the server's text, which may contain an address. */
export class MailError extends ServiceError {
  readonly outcome: MailOutcome;
  readonly reply: SmtpFailure;

  constructor(outcome: MailOutcome, reply: SmtpFailure) {
    const { code, responseCode, command } = reply;
    const details = [code, responseCode, command].filter(value => value !== undefined).join(' ') || 'unknown';
    const transient = !(responseCode !== undefined && responseCode >= 500);
    super('upstream-failed', `The mail server did not accept the mail (${details}).`, { transient });
    this.outcome = outcome;
    this.reply = reply;
  }
}

/** The members of nodemailer's errors. */
const SmtpFailure = z.object({
  code: z.string().optional(),
  /** Status of the server's reply. */
  responseCode: z.int().optional(),
  command: z.string().optional(),
});
type SmtpFailure = z.infer<typeof SmtpFailure>;

/** RFC 5321 §4.2.2; 523 of some servers. */
const sizeCodes = [523, 552];

function failureOf(error: unknown, isWritten: boolean): MailError {
  const reply = SmtpFailure.catch({}).parse(error);
  return new MailError(outcomeOf(reply, isWritten), reply);
}

function outcomeOf({ code, responseCode = 0, command = '' }: SmtpFailure, isWritten: boolean): MailOutcome {
  const isOfMessage = command === 'DATA' || command === 'MAIL FROM';
  // nodemailer compares the message with the size that the server has announced (RFC 1870).
  if (code === 'EMESSAGE' && responseCode === 0) return 'too-large';
  if (isOfMessage && sizeCodes.includes(responseCode)) return 'too-large';
  if (responseCode === 0) return isWritten ? 'unknown' : 'unavailable';
  if (command !== 'RCPT TO' && command !== 'DATA') return 'unavailable';
  return responseCode >= 500 ? 'refused' : 'delayed';
}
