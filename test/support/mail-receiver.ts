/** A mail server on loopback: parses and records mails, or rejects them. */
import type { Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  /** Recipients of the SMTP envelope. */
  to: string[];
  headers: Record<string, string>;
  subject: string;
  text: string;
  html: string;
  /** Attachments and inline images. */
  files: { type: string; name: string; disposition: string; body: Buffer }[];
}

export interface MailReceiver {
  /** Value for SMTP_URL. */
  url: string;
  port: number;
  mails: ReceivedMail[];
  /** Rejects the next mail to this recipient, or the next `times`; 0: accepts all again. */
  reject(status: number, to: string, times?: number): void;
  /** Status for each recipient; undefined accepts it. */
  onRecipient: (address: string) => number | undefined;
  /** Announces a maximum size in bytes (RFC 1870); 0: none. */
  limit(bytes: number): void;
  /** Receives the next mails, and closes the connection instead of answering. */
  drop(times: number): void;
  close(): Promise<void>;
}

const answer = (status: number) => Object.assign(new Error('not now'), { responseCode: status });

/** @param port 0: a free port */
export async function startMailReceiver(port = 0): Promise<MailReceiver> {
  const mails: ReceivedMail[] = [];
  let rejection = { status: 0, to: '', times: 0 };
  let drops = 0;
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    onRcptTo({ address }, _, done) {
      const status = receiver.onRecipient(address);
      done(status === undefined ? null : answer(status));
    },
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', chunk => chunks.push(chunk));
      stream.on('end', () => {
        const isRejected = session.envelope.rcptTo.some(({ address }) => address === rejection.to);
        if (isRejected && rejection.times-- > 0) return done(answer(rejection.status));
        mails.push(readMail(Buffer.concat(chunks).toString(), session.envelope.rcptTo));
        if (drops-- > 0) for (const socket of sockets) socket.destroy();
        else done();
      });
    },
  });
  server.server.on('connection', socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('error', () => {
    // A sender may close the connection at any time.
  });
  await new Promise<void>(listening => server.listen(port, '127.0.0.1', listening));
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no TCP port');
  const receiver: MailReceiver = {
    url: `smtp://127.0.0.1:${address.port}`,
    port: address.port,
    mails,
    reject(status, to, times = 1) {
      rejection = { status, to, times };
    },
    onRecipient: () => undefined,
    limit(bytes) {
      server.options.size = bytes;
    },
    drop(times) {
      drops = times;
    },
    close: () => new Promise(closed => server.close(() => closed())),
  };
  return receiver;
}

function readMail(source: string, recipients: readonly { address: string }[]): ReceivedMail {
  const { headers } = readPart(source);
  const parts = leavesOf(source);
  const content = (type: string): string => {
    const part = parts.find(one => one.headers['content-type']?.startsWith(type));
    return part ? decodeBody(part.body, part.headers['content-transfer-encoding']).toString() : '';
  };
  return {
    to: recipients.map(({ address }) => address),
    headers,
    subject: decodeHeader(headers.subject ?? ''),
    text: content('text/plain'),
    html: content('text/html'),
    files: parts
      .filter(part => !part.headers['content-type']?.startsWith('text/'))
      .map(part => ({
        type: part.headers['content-type']?.split(';')[0] ?? '',
        name: /name="?([^";]+)"?/.exec(part.headers['content-type'] ?? '')?.[1] ?? '',
        disposition: part.headers['content-disposition']?.split(';')[0] ?? '',
        body: decodeBody(part.body, part.headers['content-transfer-encoding']),
      })),
  };
}

/** The parts of a message that have no parts of their own. */
function leavesOf(source: string): ReturnType<typeof readPart>[] {
  const { headers, body } = readPart(source);
  const boundary = /^multipart\/.*boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) return [{ headers, body }];
  const parts = body.split(`--${boundary}`).slice(1, -1);
  return parts.flatMap(part => leavesOf(part.replace(/^\r\n/, '')));
}

function readPart(source: string): { headers: Record<string, string>; body: string } {
  const end = source.indexOf('\r\n\r\n');
  const lines = source
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map(line => {
    const [name = '', ...value] = line.split(':');
    return [name.toLowerCase(), value.join(':').trim()];
  });
  return { headers: Object.fromEntries(headers), body: source.slice(end + 4) };
}

function decodeBody(body: string, encoding: string | undefined): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  return Buffer.from(encoding === 'quoted-printable' ? fromQuotedPrintable(body.replaceAll(/=\r\n/g, '')) : body);
}

const fromQuotedPrintable = (text: string): string =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();

/** RFC 2047: `=?UTF-8?Q?…?=` */
const decodeHeader = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, encoding: string, word: string) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString()
        : fromQuotedPrintable(word.replaceAll('_', ' ')),
    );
