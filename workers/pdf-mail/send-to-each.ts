/**
 * Sends a mail to each recipient, in a message of its own: recipients do not see each other, and a refused or delayed one
 * does not affect the rest. The effects ledger remembers each, so that a repeated run continues with those that are left.
 */
import { z } from 'zod';
import { callContext } from '../../core/integrations/kit/call-context.ts';
import { type FailureKind, outageOf, UpstreamError } from '../../core/integrations/kit/upstream-error.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import { MailError, type Mailer } from '../../core/mail/mailer.ts';
import { ErrorCode, ServiceError } from '../../core/runtime/errors.ts';
import type { WorkerServices } from '../services.ts';

/** A person who gets a mail. */
export interface Recipient {
  address: string;
  /** The address that stops marketing mails. */
  optOutUrl?: string;
  /** Gets no marketing. */
  hasOptedOut: boolean;
}

type Mail = Omit<Parameters<Mailer['send']>[0], 'id' | 'to' | 'signal'>;
type Services = Pick<WorkerServices, 'effects'> & { mailer: Mailer };

interface MailChoice {
  /** The mail with the file attached or not. */
  mailWith(isAttached: boolean, recipient: Recipient): Promise<Mail>;
  hasFile: boolean;
}

const Sent = z.object({ attached: z.boolean() });

/** Recipients that the server refused, by position: they are not tried again while others are delayed. */
const Refused = z.record(z.string(), z.object({ code: ErrorCode, message: z.string() })).catch(() => ({}));

/**
 * @returns how many were sent, and whether with the file
 * @throws UpstreamError when the server accepts mails later; ServiceError when it accepts none
 */
export async function sendToEach(
  to: readonly Recipient[],
  { mailWith, hasFile }: MailChoice,
  context: JobContext,
  services: Services,
) {
  const refused = Refused.parse(await context.checkpoint.read());
  const sent: z.output<typeof Sent>[] = [];
  const send = openSend({ mailWith, hasFile }, context, services);
  let delayed: unknown;
  for (const [index, recipient] of to.entries()) {
    if (recipient.hasOptedOut) refused[index] = optedOut;
    context.signal.throwIfAborted();
    context.progress('sending', index, to.length, (100 * index) / to.length);
    if (refused[index]) continue;
    try {
      sent.push(await send(recipient, `${context.jobId}-${index}`));
    } catch (error) {
      if (error instanceof UpstreamError && error.isDown) throw error;
      if (outageOf(error)) delayed = error;
      else refused[index] = permanentFailure(error);
    }
  }
  if (delayed) {
    await context.checkpoint.write(refused);
    throw delayed;
  }
  for (const [index, { code, message }] of Object.entries(refused))
    context.warn({ pointer: `/deliver/email/to/${index}`, code, detail: message });
  const [first] = Object.values(refused);
  if (sent.length === 0 && first) {
    // A retry of the failed job tries them again.
    await context.checkpoint.write({});
    throw new ServiceError(first.code, first.message);
  }
  const attached = hasFile && sent.every(one => one.attached);
  if (hasFile && !attached) context.warn({ pointer: '', code: 'mail-not-attached', detail: notAttached });
  return { sent: sent.length, attached };
}

const optedOut = { code: 'message-not-permitted', message: 'The person opted out of marketing.' } as const;

const notAttached = 'The mail server does not accept a mail as large as the file; it was sent with the link only.';

/** Leaves the file out from the first time that the server does not accept its size. */
function openSend({ mailWith, hasFile }: MailChoice, { signal }: JobContext, { effects, mailer }: Services) {
  let attached = hasFile;
  const prepare = async (recipient: Recipient): Promise<Mail> => {
    try {
      const mail = await mailWith(attached, recipient);
      await callContext().fence?.();
      return mail;
    } catch (cause) {
      // Nothing was sent: for the ledger, the outcome of any error but a ServiceError is unknown.
      throw new ServiceError('internal-error', 'The mail could not be prepared; the log has the details.', { cause });
    }
  };
  const execute = async (recipient: Recipient, id: string): Promise<z.output<typeof Sent>> => {
    const prepared = await prepare(recipient);
    try {
      await mailer.send({ ...prepared, id, to: [recipient.address], signal });
      return { attached };
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      if (error.outcome !== 'too-large' || !attached) throw upstreamError(error);
      attached = false;
      return await execute(recipient, id);
    }
  };
  return async (recipient: Recipient, id: string) => {
    const effect = { key: `mail:${id}`, kind: 'brochure-mail', system: 'mail', result: Sent };
    return (await effects.once({ ...effect, execute: () => execute(recipient, id) })).result;
  };
}

/** @throws what is neither a refusal nor an unknown outcome */
function permanentFailure(error: unknown): { code: ErrorCode; message: string } {
  if (!(error instanceof ServiceError)) throw error;
  if (error.code === 'mail-rejected') return { code: error.code, message: error.message };
  // `conflict` of the ledger: an earlier run was interrupted while it sent the mail.
  if (error.code !== 'mail-outcome-unknown' && error.code !== 'conflict') throw error;
  return { code: 'mail-outcome-unknown', message: outcomeUnknown };
}

const outcomeUnknown =
  'The connection to the mail server ended before its answer: the mail may have been sent, and is not repeated.';

const failures: Readonly<Record<MailError['outcome'], readonly [ErrorCode, FailureKind]>> = {
  unavailable: ['upstream-failed', 'unreachable'],
  delayed: ['upstream-failed', 'limit'],
  unknown: ['mail-outcome-unknown', 'unclear'],
  refused: ['mail-rejected', 'rejected'],
  'too-large': ['mail-rejected', 'rejected'],
};

function upstreamError({ outcome, reply, message }: MailError): UpstreamError {
  const status = reply.responseCode ?? null;
  const [code, kind] = failures[outcome];
  return new UpstreamError(code, message, {
    kind,
    system: 'mail',
    call: { operation: `SMTP ${reply.command ?? reply.code ?? ''}`.trim(), status, at: new Date().toISOString() },
  });
}
