/** A mail server on loopback: parses and records mails, or rejects them. */
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  /** Recipients of the SMTP envelope. */
  to: string[];
  headers: Record<string, string>;
  subject: string;
  text: string;
  html: string;
}

export interface MailReceiver {
  /** Value for SMTP_URL. */
  url: string;
  port: number;
  mails: ReceivedMail[];
  /** Rejects the next `times` mails with this status; 0: accepts all again. */
  reject(status: number, times: number): void;
  close(): Promise<void>;
}

/** @param port 0: a free port */
export async function startMailReceiver(port = 0): Promise<MailReceiver> {
  const mails: ReceivedMail[] = [];
  let rejection = { status: 0, times: 0 };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', chunk => chunks.push(chunk));
      stream.on('end', () => {
        if (rejection.times-- > 0) return done(Object.assign(new Error('not now'), { responseCode: rejection.status }));
        mails.push(readMail(Buffer.concat(chunks).toString(), session.envelope.rcptTo));
        done();
      });
    },
  });
  server.on('error', () => {
    // A sender may close the connection at any time.
  });
  await new Promise<void>(listening => server.listen(port, '127.0.0.1', listening));
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no TCP port');
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    port: address.port,
    mails,
    reject(status, times) {
      rejection = { status, times };
    },
    close: () => new Promise(closed => server.close(() => closed())),
  };
}

function readMail(source: string, recipients: readonly { address: string }[]): ReceivedMail {
  const { headers, body } = readPart(source);
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map(part => readPart(part.replace(/^\r\n/, '')));
  const content = (type: string): string => {
    const part = parts.find(one => one.headers['content-type']?.startsWith(type));
    return part ? decodeBody(part.body, part.headers['content-transfer-encoding']) : '';
  };
  return {
    to: recipients.map(({ address }) => address),
    headers,
    subject: decodeHeader(headers.subject ?? ''),
    text: content('text/plain'),
    html: content('text/html'),
  };
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

function decodeBody(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  return fromQuotedPrintable(body.replaceAll(/=\r\n/g, ''));
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
