/** Bull Board: nobody looks without a login, nobody changes anything unless it is allowed, least of all another site. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, startTestService, type TestService } from '../../../support/test-service.ts';
import { trialContracts, trialJob } from '../../../support/trial-jobs.ts';

const login = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const ops = login('ops', 'pässword: with colon');
const path = '/v2/ops/queues';

describe.each(backends)('Bull Board on %s', backend => {
  let service: TestService;
  let messageId: string;
  const ask = (what: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(`${service.origin}${what}`, { method, headers, redirect: 'manual' });

  beforeAll(async () => {
    service = await startTestService(`board-${backend}`, {
      backend,
      contracts: trialContracts,
      env: { OPS_USER: 'ops', OPS_PASSWORD: 'pässword: with colon' },
    });
    messageId = (
      await service.desk.submit(trialJob, { clientId: 'client', payload: { name: 'seen on the board' } })
    ).id;
  });
  afterAll(() => service?.close());

  it.each([
    path,
    `${path}/`,
    `${path}/api/queues`,
    `${path}/static/js/main.js`,
    `${path}/queue/trial`,
    '/ops/queues',
  ])('%s asks for the login', async what => {
    const answer = await ask(what);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=.+charset="UTF-8"/);
  });

  it.each([
    login('ops', 'wrong'),
    login('', ''),
    login('undefined', 'undefined'),
    { authorization: 'Basic !!!' },
    { authorization: 'Bearer pst_unknown' },
  ])('lets nobody in with %j', async headers => {
    expect((await ask(`${path}/api/queues`, headers)).status).toBe(401);
  });

  it('shows the page and the queues to who is logged in', async () => {
    const page = await ask(path, ops);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    const answer = await ask(`${path}/api/queues?activeQueue=trial&status=latest`, ops);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      queues: expect.arrayContaining([
        expect.objectContaining({ name: 'trial', jobs: [expect.objectContaining({ id: messageId })] }),
        expect.objectContaining({ name: 'hasty' }),
      ]),
    });
  });

  it('lets a token in that has the scope ops, and no other', async () => {
    const bearer = async (scopes: string[]) => ({
      authorization: `Bearer ${(await service.client(scopes)).accessToken}`,
    });
    expect((await ask(`${path}/api/queues`, await bearer(['ops']))).status).toBe(200);
    expect((await ask(`${path}/api/queues`, await bearer(['jobs:all']))).status).toBe(403);
  });

  it('changes nothing: it is for looking only', async () => {
    for (const what of [
      `/api/queues/trial/pause`,
      `/api/queues/trial/${messageId}/clean`,
      `/api/queues/trial/empty`,
    ]) {
      const answer = await ask(path + what, ops, 'PUT');
      expect([403, 404, 405], what).toContain(answer.status);
    }
    expect(await service.queues.boardQueue(trialJob).isPaused()).toBe(false);
    expect(await service.queues.queue(trialJob).getJob(messageId)).toBeDefined();
  });
});

describe('a Bull Board that may change queues', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService('board-writable', {
      contracts: trialContracts,
      env: { OPS_USER: 'ops', OPS_PASSWORD: 'pässword: with colon', OPS_BOARD_WRITABLE: 'true' },
    });
  });
  afterAll(() => service?.close());

  const pause = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${service.origin}${path}/api/queues/trial/pause`, {
      method: 'PUT',
      headers: { ...ops, ...headers },
    });
  const isPaused = () => service.queues.boardQueue(trialJob).isPaused();

  it.each(['cross-site', 'same-site', 'none'])(
    'refuses what a browser sends from elsewhere (%s)',
    async site => {
      expect((await pause({ 'sec-fetch-site': site })).status).toBe(403);
      expect(await isPaused()).toBe(false);
    },
  );

  it('refuses what comes from another origin, where the browser tells only that', async () => {
    expect((await pause({ origin: 'https://evil.example' })).status).toBe(403);
    expect(await isPaused()).toBe(false);
  });

  it('obeys the board itself', async () => {
    expect((await pause({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect(await isPaused()).toBe(true);
  });
});

describe('without OPS_USER', () => {
  it('no login opens the board, not even the word undefined; a token does', async () => {
    const service = await startTestService('board-closed', { contracts: trialContracts });
    try {
      const status = async (headers: Record<string, string>) =>
        (await fetch(`${service.origin}${path}/api/queues`, { headers })).status;
      expect(await status(login('undefined', 'undefined'))).toBe(401);
      expect(await status(login('', ''))).toBe(401);
      const { accessToken } = await service.client(['ops']);
      expect(await status({ authorization: `Bearer ${accessToken}` })).toBe(200);
    } finally {
      await service.close();
    }
  });
});
