/** Signatures of the listing portal's webhooks, in the present and the older form. */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { isSigned, type SignatureHeader } from '../../../../../core/integrations/listing-portal/webhook.ts';

const secret = 'a secret of the webhook';
const body = Buffer.from('{"id":"1","text":"مرحبا"}');
const signatureOf = (...parts: (string | Buffer)[]) =>
  createHmac('sha256', secret)
    .update(Buffer.concat(parts.map(part => Buffer.from(part))))
    .digest('hex');
const accepts = (headers: Record<string, string>, header: SignatureHeader = 'X-Signature') =>
  isSigned({ headers, body }, secret, header);

it('accepts the HMAC of the bytes as sent, in either case, with or without the name of the hash', () => {
  const signature = signatureOf(body);
  for (const sent of [signature, signature.toUpperCase(), `sha256=${signature}`, ` ${signature} `])
    expect(accepts({ 'x-signature': sent })).toBe(true);
});

it('rejects another body, another secret, a shorter text and a missing header', () => {
  const other = createHmac('sha256', 'another secret').update(body).digest('hex');
  for (const sent of [signatureOf(body, ' '), other, signatureOf(body).slice(2), '', 'ü'.repeat(64)])
    expect(accepts({ 'x-signature': sent })).toBe(false);
  expect(accepts({})).toBe(false);
});

it('accepts only the header of the setting', () => {
  expect(accepts({ 'x-propertyfinder-signature': signatureOf(body) })).toBe(false);
  expect(accepts({ 'x-propertyfinder-signature': signatureOf(body) }, 'X-PropertyFinder-Signature')).toBe(true);
});

it('takes the time of the older form as a part of what is signed', () => {
  const headers = {
    'x-propertyfinder-signature': signatureOf('1700000000.', body),
    'x-propertyfinder-timestamp': '1700000000',
  };
  expect(accepts(headers, 'X-PropertyFinder-Signature')).toBe(true);
  expect(accepts({ ...headers, 'x-propertyfinder-timestamp': '1700000001' }, 'X-PropertyFinder-Signature')).toBe(false);
});
