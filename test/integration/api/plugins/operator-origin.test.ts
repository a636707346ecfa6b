/** Which origins the actions of operators are accepted from, in production and in development. */
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { useService } from '../../../support/test-service.ts';

/** One of each group of routes that act for an operator. */
const actions = [
  '/v2/ops/jobs/trial_1/cancel',
  '/v2/ops/schedules/maintenance/pause',
  '/v2/ops/studio-token',
  '/v2/ops/queues/api/queues/trial/pause',
];
const login = `Basic ${Buffer.from('duty:secret').toString('base64')}`;

describe.each(['production', 'development'])('in %s', environment => {
  const service = useService(`origin-${environment}`, () => ({
    env: {
      NODE_ENV: environment,
      PUBLIC_URL: 'https://portal.example',
      OPS_USER: 'duty',
      OPS_PASSWORD: 'secret',
    },
  }));

  /** `fetch` does not send a Host of its own. */
  async function isRejected(path: string, headers: Record<string, string>): Promise<boolean> {
    const sent = request(service.origin + path, {
      method: 'POST',
      headers: { authorization: login, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
    sent.end('seen=x');
    const [response] = await once(sent, 'response');
    // Other rules answer 403 as well, such as a board that is read-only.
    return (await text(response)).includes('Requests from other sites');
  }

  it.each(actions)('%s is accepted from PUBLIC_URL, whatever the Host', async path => {
    for (const site of [{}, { 'sec-fetch-site': 'same-origin' }])
      expect(await isRejected(path, { host: '10.0.0.7:3000', origin: 'https://portal.example', ...site })).toBe(false);
  });

  it.each(actions)('%s is not accepted from another site', async path => {
    expect(await isRejected(path, { host: 'portal.example', origin: 'https://evil.example' })).toBe(true);
  });

  // A site whose name was made to resolve to this address is its own origin to the browser.
  it.each(actions)('%s is accepted from the origin that the Host names in development only', async path => {
    const own = { host: 'evil.example', origin: 'http://evil.example' };
    const answers = [await isRejected(path, own), await isRejected(path, { ...own, 'sec-fetch-site': 'same-origin' })];
    const isProduction = environment === 'production';
    expect(answers).toEqual([isProduction, isProduction]);
  });
});
