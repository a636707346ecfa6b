/** Bull Board: login, grouping, redaction of payloads, read-only mode, CSRF protection. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JobContract } from '../../../../core/jobs/contract.ts';
import { backends, startTestService, type TestService } from '../../../support/test-service.ts';
import { openTrials, trialContracts, trialJob } from '../../../support/trial-jobs.ts';

const login = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const ops = login('ops', 'pässword: with colon');
const path = '/v2/ops/queues';
const grouped = { ...trialJob, kind: 'grouped', subject: 'trials' };

describe.each(backends)('Bull Board on %s', backend => {
  let service: TestService;
  let messageId: string;
  const ask = (target: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(`${service.origin}${target}`, { method, headers, redirect: 'manual' });

  beforeAll(async () => {
    service = await startTestService(`board-${backend}`, {
      backend,
      contracts: new Map<string, JobContract>([...trialContracts, [grouped.kind, grouped]]),
      env: { OPS_USER: 'ops', OPS_PASSWORD: 'pässword: with colon' },
    });
    messageId = (await service.jobs.submit(trialJob, { clientId: 'client', payload: { name: 'seen on the board' } }))
      .id;
  });
  afterAll(() => service?.close());

  it.each([path, `${path}/`, `${path}/api/queues`, `${path}/static/js/main.js`, `${path}/queue/trial`, '/ops/queues'])(
    'returns 401 at %s without the login',
    async target => {
      const answer = await ask(target);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=.+charset="UTF-8"/);
    },
  );

  it.each([
    login('ops', 'wrong'),
    login('', ''),
    login('undefined', 'undefined'),
    { authorization: 'Basic !!!' },
    { authorization: 'Bearer pst_unknown' },
  ])('returns 401 for %j', async headers => expect((await ask(`${path}/api/queues`, headers)).status).toBe(401));

  it('shows the page and the queues after login', async () => {
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

  it('groups queues by subject and shows ids, state and types of a job, but not its data', async () => {
    const ended = await service.jobs.submit(grouped, {
      clientId: 'client',
      payload: { name: '+971501234567', weight: 71 },
    });
    const trials = openTrials();
    trials.when('+971501234567', async () => 'said to +971501234567');
    const [served] = trials.servedKinds;
    if (!served) throw new Error('no job kind is served');
    service.startWorker([{ ...served, contract: grouped }]);
    await expect.poll(async () => (await service.records.find(ended.id))?.state).toBe('succeeded');

    const name = 'trials.grouped';
    const list = `${path}/api/queues?activeQueue=${name}&status=latest`;
    const answers = await Promise.all(
      [list, `${path}/api/queues/${name}/${ended.id}`, `${path}/api/queues/${name}/${ended.id}/logs`].map(
        async target => {
          const answer = await ask(target, ops);
          expect(answer.status, target).toBe(200);
          return await answer.text();
        },
      ),
    );
    expect(answers.join()).toContain(ended.id);
    expect(answers.join()).not.toContain('971501234567');
    expect(JSON.parse(answers[0] ?? '')).toMatchObject({
      queues: expect.arrayContaining([
        expect.objectContaining({
          name,
          delimiter: '.',
          jobs: [
            expect.objectContaining({
              id: ended.id,
              data: { name: 'text, 13 characters', weight: 'number' },
              externalUrl: { href: `/v2/ops/jobs/${ended.id}`, displayText: 'Job page' },
            }),
          ],
        }),
      ]),
    });
  });

  it('forbids external resources', async () => {
    const page = await ask(path, ops);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
  });

  it('accepts tokens with the scope ops only', async () => {
    const bearer = async (scopes: string[]) => ({
      authorization: `Bearer ${(await service.client(scopes)).accessToken}`,
    });
    expect((await ask(`${path}/api/queues`, await bearer(['ops']))).status).toBe(200);
    expect((await ask(`${path}/api/queues`, await bearer(['jobs:all']))).status).toBe(403);
  });

  it('is read-only', async () => {
    for (const target of [
      `/api/queues/trial/pause`,
      `/api/queues/trial/${messageId}/clean`,
      `/api/queues/trial/empty`,
      `/api/queues/pause`,
      `/api/queues/resume`,
    ]) {
      const answer = await ask(path + target, ops, 'PUT');
      expect(answer.status, target).toBe(403);
      expect(await answer.text()).toContain('OPS_BOARD_WRITABLE');
      expect((await ask(path + target, {}, 'PUT')).status, target).toBe(401);
    }
    expect(await service.queues.boardQueue(trialJob).isPaused()).toBe(false);
    expect(await service.queues.queue(trialJob).getJob(messageId)).toBeDefined();
  });
});

describe('Bull Board with OPS_BOARD_WRITABLE', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService('board-writable', {
      contracts: trialContracts,
      env: { OPS_USER: 'ops', OPS_PASSWORD: 'pässword: with colon', OPS_BOARD_WRITABLE: 'true' },
    });
  });
  afterEach(() => service.queues.boardQueue(trialJob).resume());
  afterAll(() => service?.close());

  const pause = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${service.origin}${path}/api/queues/trial/pause`, { method: 'PUT', headers: { ...ops, ...headers } });
  const isPaused = () => service.queues.boardQueue(trialJob).isPaused();

  it.each(['cross-site', 'same-site', 'none'])('rejects requests from other sites (%s)', async site => {
    expect((await pause({ 'sec-fetch-site': site })).status).toBe(403);
    expect(await isPaused()).toBe(false);
  });

  it('rejects another Origin from browsers without Sec-Fetch-Site', async () => {
    expect((await pause({ origin: 'https://evil.example' })).status).toBe(403);
    expect(await isPaused()).toBe(false);
  });

  it('accepts changes from its own page', async () => {
    expect((await pause({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect(await isPaused()).toBe(true);
  });
});

describe('Bull Board without OPS_USER', () => {
  it('accepts tokens but no login, not even the text undefined', async () => {
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
