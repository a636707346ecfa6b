import path from 'node:path';
import vm from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { InvalidCallback, verifyCallback } from '../../../client/src/index.ts';
import { signMessage } from '../../../core/callbacks/sign.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const newer = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const job = { id: 'pdf_1', kind: 'pdf', state: 'succeeded', result: { fileName: 'Villa für Ümit – ٢.pdf' } };
const body = JSON.stringify(job);
const now = new Date('2026-01-31T08:00:00.000Z');
const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
const signed = (sentAt = now, secrets = [secret]) => signMessage('pdf_1_17', body, secrets, sentAt);
const verify = (headers: Parameters<typeof verifyCallback>[1], text: string | Uint8Array = body, key = secret) =>
  verifyCallback(text, headers, key, { now });

describe('a callback signed by the service', () => {
  it('is accepted and returns its id, time and job', async () =>
    expect(await verify(signed())).toEqual({ id: 'pdf_1_17', sentAt: now, job }));

  it.each([
    ['the headers of a Request', () => new Request('http://portal.example', { headers: signed() }).headers, body],
    [
      'capitalised names',
      () => Object.fromEntries(Object.entries(signed()).map(([n, v]) => [n.toUpperCase(), v])),
      body,
    ],
    ['the body as bytes', signed, Buffer.from(body)],
  ])('is accepted with %s', async (_, headers, text) => expect(await verify(headers(), text)).toMatchObject({ job }));

  it('is accepted with the old and the new secret during a rotation', async () => {
    for (const key of [secret, newer])
      expect(await verify(signed(now, [newer, secret]), body, key)).toMatchObject({ job });
    expect(await verifyCallback(body, signed(), [newer, secret], { now })).toMatchObject({ job });
  });

  it.each([-300, 300])('is accepted %d seconds from now', async seconds =>
    expect(await verify(signed(at(seconds)))).toMatchObject({ job }),
  );
});

it('a callback is verified in a runtime that has only the globals of web browsers', async () => {
  const { outputFiles } = await build({
    entryPoints: [path.resolve(import.meta.dirname, '../../../client/src/index.ts')],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'client',
  });
  const context = vm.createContext({ atob, crypto, TextDecoder, TextEncoder, Uint8Array });
  vm.runInContext(outputFiles[0]?.text ?? '', context);
  context.message = { body, headers: signed(), secret, options: { now } };
  const verified = vm.runInContext(
    'client.verifyCallback(message.body, message.headers, message.secret, message.options)',
    context,
  );
  expect(await verified).toMatchObject({ id: 'pdf_1_17', job });
});

describe('a callback is rejected', () => {
  const headers = signed();
  it.each([
    ['with another body', headers, `${body} `],
    ['with another id', { ...headers, 'webhook-id': 'pdf_1_18' }, body],
    ['with another time', { ...headers, 'webhook-timestamp': String(now.getTime() / 1_000 + 1) }, body],
    ['that was sent more than 300 seconds ago', signed(at(-301)), body],
    ['that was sent more than 300 seconds ahead', signed(at(301)), body],
    ['with a time that is no number', { ...headers, 'webhook-timestamp': 'NaN' }, body],
    ['without a signature', { ...headers, 'webhook-signature': undefined }, body],
    ['with a signature that is not base64', { ...headers, 'webhook-signature': 'v1,%%% v1, v1' }, body],
    [
      'with a signature of another version',
      { ...headers, 'webhook-signature': `v2${headers['webhook-signature'].slice(2)}` },
      body,
    ],
    ['that another secret signed', signed(now, [newer]), body],
  ])('%s', (_, changed, text) => expect(verify(changed, text)).rejects.toBeInstanceOf(InvalidCallback));

  it.each(['', 'whsec_', 'whsec_%'])('with a TypeError when the secret is "%s"', key =>
    expect(verify(headers, body, key)).rejects.toThrow('The secret must be that of GET /jobs/callback-secret'),
  );
});
