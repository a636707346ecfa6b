/** The logins of the studio: the token of an operator, and logins in the page. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  changesBoth,
  expectAccessible,
  httpCredentials,
  image,
  logIn,
  textOf,
  useStudio,
} from '../../../support/studio.ts';

const { open, service, url } = await useStudio('studio-login');

const TokenAnswer = z.object({ access_token: z.string(), expires_in: z.number() });

describe('the token of an operator', () => {
  const basic = `Basic ${Buffer.from('duty:secret').toString('base64')}`;
  const request = (headers: Record<string, string>) =>
    fetch(`${service.origin}/v2/ops/studio-token`, { method: 'POST', headers });

  it('needs the operator login', async () => {
    const refused = await request({});
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://elsewhere.example' },
  ])('is not issued to a page of another site: %j', async headers => {
    expect((await request({ authorization: basic, ...headers })).status).toBe(403);
  });

  it('is not issued to a token with the scope ops, which would get another scope', async () => {
    const { accessToken } = await service.client(['ops']);
    expect((await request({ authorization: `Bearer ${accessToken}` })).status).toBe(403);
  });

  it('has the scope pdf for 15 minutes, of a client that cannot authenticate', async () => {
    const { oauth, clients } = service;
    const answer = await request({ authorization: basic });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { access_token, expires_in } = TokenAnswer.parse(await answer.json());
    expect(expires_in).toBe(900);
    expect(await oauth.findHolder(access_token)).toEqual({ clientId: 'studio', scopes: ['pdf'] });
    expect(await clients.find('studio')).toMatchObject({ isActive: true, secrets: [] });

    const by = { kind: 'command', name: 'test' } as const;
    await clients.deactivate('studio', by);
    expect(await oauth.findHolder(access_token)).toBeUndefined();
    expect((await request({ authorization: basic })).status).toBe(403);
    await clients.reactivate('studio', by);
    expect((await request({ authorization: basic })).status).toBe(200);
  });
});

it('is public, has no inline scripts or styles, and loads nothing from other sites', async () => {
  const answer = await fetch(`${url}/`);
  expect({ status: answer.status, url: answer.url }).toEqual({ status: 200, url });
  expect(answer.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self';/,
  );
  expect(answer.headers.get('content-security-policy')).not.toContain('unsafe');
});

it('begins with the login on a phone', async () => {
  const page = await open({ viewport: { width: 390, height: 844 } }, '', 'Client id');
  await page.getByRole('button', { name: 'Use the operator login' }).waitFor();
  await expectAccessible(page);
});

it('keeps the request over a reload, with the login of an operator and without a token', async () => {
  const page = await open({ httpCredentials });
  await page.goto(`${service.origin}/v2/ops`);
  await page.getByRole('link', { name: 'Studio' }).click();
  await page.getByText('Logged in as operator.').waitFor();
  await page.getByLabel('Start from a sample').selectOption('collection');
  await page.getByRole('button', { name: 'Add a listing' }).click();
  const text = await textOf(page);
  const stored = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
  expect(await stored()).not.toContain('pst_');
  await page.reload();
  await page.getByText('Logged in as operator.').waitFor();
  expect(await textOf(page)).toBe(text);
  expect(await page.getByLabel('Listing in the form').inputValue()).toBe(String(JSON.parse(text).list.length - 1));
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Use the operator login' }).waitFor();
});

it('gets a new token when the old one has expired, and asks for the login when there is none', async () => {
  const page = await open({ rejections: /status of (401|422)/ });
  const { accessToken } = await service.client(['pdf']);
  const expire = () => service.database.pool.query('update oauth_token set expires_at = now()');
  const headline = page.getByRole('textbox', { name: 'Headline', exact: true });
  await logIn(page);
  await image(page, 'New design, page 2').waitFor();
  await expire();
  await changesBoth(page, () => headline.fill('A villa'));
  await page.getByRole('button', { name: 'Log out' }).click();

  await page.getByText('Or an access token').click();
  await page.getByLabel('Access token with the scope pdf').fill(accessToken);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByText('The access token is unknown, expired or revoked.').first().waitFor();
  await page.getByRole('button', { name: 'Use the operator login' }).waitFor();
});
