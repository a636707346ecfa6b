import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signMessage } from '../../../../core/callbacks/sign.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const older = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const body = '{"id":"pdf_1","fileName":"Villa für Ümit – ٢.pdf"}';
const verify = (key: string, text: string, headers: ReturnType<typeof signMessage>): unknown =>
  new Webhook(key).verify(text, { ...headers });

describe('the signature of a callback', () => {
  it('is accepted by the Standard Webhooks library', () =>
    expect(verify(secret, body, signMessage('pdf_1_17', body, [secret], new Date()))).toEqual(JSON.parse(body)));

  it('equals the one in the example of the specification', () => {
    const headers = signMessage(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      '{"test": 2432232314}',
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      new Date(1_614_265_330_000),
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('contains one signature per secret, so that a receiver can verify with either', () => {
    const headers = signMessage('pdf_1_17', body, [secret, older], new Date());
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    expect(verify(secret, body, headers)).toEqual(JSON.parse(body));
    expect(verify(older, body, headers)).toEqual(JSON.parse(body));
  });

  it('does not match another body, id, time or secret', () => {
    const headers = signMessage('pdf_1_17', body, [secret], new Date());
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => verify(secret, `${body} `, headers)).toThrow();
    expect(() => verify(secret, body, { ...headers, 'webhook-id': 'pdf_1_18' })).toThrow();
    expect(() => verify(secret, body, { ...headers, 'webhook-timestamp': later })).toThrow();
    expect(() => verify(older, body, headers)).toThrow();
  });
});
