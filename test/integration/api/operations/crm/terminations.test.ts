/** Terminations over HTTP, with the sandbox's CRM, directory, property-project system and chat-bot database. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TerminationConfig } from '../../../../../core/domain/terminations/find-account.ts';
import { FullTermination, SystemTermination } from '../../../../../core/domain/terminations/termination.ts';
import { auditTable } from '../../../../../core/postgres/schema.ts';
import { dropChatBotDatabase, seedChatBotDatabase } from '../../../../../sandbox/chat-bot/database.ts';
import { type Person, people } from '../../../../../sandbox/kit/people.ts';
import terminations from '../../../../../workers/terminations/contract.ts';
import handler from '../../../../../workers/terminations/handler.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import { queryChatBot } from '../../../../support/chat-bot-database.ts';
import { callCrm } from '../../../../support/crm-webhook.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { startTestService, type TestService } from '../../../../support/test-service.ts';

const base = '/apps/crm/v1/users/terminate';
const reason = 'Left the firm';
const env = {
  CRM_REQUESTS_PER_SECOND: '100',
  CRM_REQUEST_BURST: '10000',
  TERMINATION_PROTECTED_EMAILS: 'svc-b*@meridianpalm.example',
};

const sandbox = useSandbox();
let service: TestService;
let client: ApiClient;

async function startService(name: string, contract = terminations): Promise<TestService> {
  const started = await startTestService(name, {
    sandboxUrl: sandbox.url,
    contracts: new Map([[terminations.kind, terminations]]),
    env,
  });
  await seedChatBotDatabase(started.databaseUrl);
  const open = await handler.open(TerminationConfig.parse(env), started);
  started.startWorker([{ contract, handler: open }]);
  return started;
}

async function closeService(started: TestService): Promise<void> {
  await dropChatBotDatabase(started.databaseUrl);
  await started.close();
}

beforeAll(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  service = await startService('terminations');
  client = await service.client(['users:terminate']);
});
afterAll(async () => {
  await closeService(service);
});

function person(number: number): Person {
  const found = people()[number - 1];
  if (!found) throw new Error(`there is no person ${number}`);
  return found;
}

/** The ended job of a termination. */
async function terminate(system: string, body: object, by = client) {
  const { id } = await by.requestJob('POST', base + system, { body: { reason, ...body } });
  return await by.waitForJob(id);
}

async function terminated(system: string, body: object): Promise<SystemTermination> {
  const job = await terminate(system, body);
  expect(job).toMatchObject({ state: 'succeeded', error: null });
  return SystemTermination.parse(job.result);
}

/** Calls the directory directly. */
const askDirectory = async (method: string, path: string, body?: object): Promise<unknown> => {
  const answer = await fetch(`${sandbox.url}/directory${path}`, {
    method,
    headers: { 'x-api-key': 'sandbox', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.json();
};
const botUser = async (crmId: number) =>
  (await queryChatBot(service.databaseUrl, 'select active from users where crm_id = $1', [crmId]))[0];
const projectUser = async (id: string) =>
  (await fetch(`${sandbox.url}/property-projects/users/${id}`, { headers: { authorization: 'Bearer sandbox' } }))
    .status;
const auditOf = (target: string, of = service) =>
  of.database.select().from(auditTable).where(eq(auditTable.target, target)).orderBy(auditTable.id);

describe('terminating a user', () => {
  /** A termination in all systems and its repeat. */
  let full: [FullTermination, FullTermination];

  beforeAll(async () => {
    const { result } = await terminate('', { crmId: 240 });
    const again = await terminate('', { email: person(240).email });
    full = [FullTermination.parse(result), FullTermination.parse(again.result)];
  });

  it('in the directory suspends the user and removes groups and scheduled activations', async () => {
    const { directoryId, email } = person(245);
    await askDirectory('POST', '/v2/bulk/userstates', {
      user_ids: [directoryId],
      state: 'ACTIVATED',
      start_date: '2030-01-01T00:00:00.000Z',
    });
    const result = await terminated('/directory', { email: email.toUpperCase() });
    expect(result).toMatchObject({
      system: 'directory',
      outcome: 'terminated',
      user: { crmId: 245, id: directoryId, matchedBy: 'email' },
      before: { state: 'ACTIVATED', scheduledActivations: 1 },
      after: { state: 'SUSPENDED', groups: [], scheduledActivations: 0 },
    });
    expect(result.before).toHaveProperty('groups.0.name');
    expect(await askDirectory('GET', `/systemusers/${directoryId}`)).toMatchObject({
      state: 'SUSPENDED',
      password_expired: true,
    });
    expect(await askDirectory('GET', `/v2/users/${directoryId}/memberof`)).toEqual([]);
    expect((await sandbox.control.rows('directory', 'state-jobs')).count).toBe(0);
  });

  it('in the property-project system deletes the user, also by e-mail only', async () => {
    expect(await terminated('/property-projects', { crmId: 271 })).toMatchObject({
      outcome: 'terminated',
      user: { crmId: 271, id: 'u-5271', matchedBy: 'email' },
      before: { active: true },
      after: null,
    });
    expect(await projectUser('u-5271')).toBe(404);
  });

  it('in the chat-bot database deactivates the user, with a warning about a second row with the e-mail', async () => {
    const job = await terminate('/chat-bot', { crmId: 3 });
    expect(SystemTermination.parse(job.result)).toMatchObject({
      outcome: 'terminated',
      user: { crmId: 3, id: '501', matchedBy: 'crmId' },
      before: { active: true },
      after: { active: false },
    });
    expect(job.warnings.map(({ code }) => code)).toEqual(['active-in-crm', 'same-email']);
    expect(await botUser(3)).toEqual({ active: false });
  });

  it('in all three systems returns one report; a repeat changes nothing', () => {
    const [first, again] = full;
    expect(first).toMatchObject({ outcome: 'terminated', user: { crmId: 240 } });
    expect(first.systems.map(({ system, outcome }) => [system, outcome])).toEqual([
      ['property-projects', 'terminated'],
      ['directory', 'terminated'],
      ['chat-bot', 'terminated'],
    ]);
    expect(again.outcome).toBe('already-terminated');
    expect(again.systems.map(({ outcome }) => outcome)).toEqual(['absent', 'already-terminated', 'already-terminated']);
  });

  it('succeeds with a warning when only the system has the user', async () => {
    const job = await terminate('/directory', { email: 'svc-scanner@meridianpalm.example' });
    expect(job).toMatchObject({
      state: 'succeeded',
      result: { outcome: 'terminated', user: { crmId: null } },
      warnings: [{ pointer: '/email', code: 'not-in-crm' }],
    });
  });

  it('records ids only in the audit trail', async () => {
    const entries = await auditOf(`/directory/users/${person(240).directoryId}`);
    expect(entries).toMatchObject([
      { after: { stage: 'begun' } },
      { after: { stage: 'ended', account: { groups: [] } } },
      { after: { stage: 'ended', account: { groups: [] } } },
    ]);
    for (const entry of entries)
      expect(entry).toMatchObject({
        actorKind: 'client',
        actor: client.clientId,
        action: 'crm.terminateUser',
        before: { state: 'SUSPENDED' },
        after: { reason, crmId: 240 },
      });
    expect(entries[0]?.before).toHaveProperty('groups.0');
    expect(JSON.stringify(entries)).not.toContain('@');
  });
});

describe('a termination is rejected', () => {
  it.each([
    ['neither id nor e-mail', { reason }, ['']],
    ['both', { crmId: 1, email: 'a@b.example', reason }, ['']],
    ['several errors', { reason: 'x' }, ['/reason', '']],
    ['wrong types', { crmId: '17', reason: 3 }, ['/crmId', '/reason']],
    ['control characters', { crmId: 1, reason: 'left\nthe firm' }, ['/reason']],
  ])('with a pointer to each error: %s', async (_, body, pointers) => {
    const reply = await client.request('POST', base, { body });
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({ errors: pointers.map(pointer => ({ pointer })) });
  });

  it('when no system has the user', async () => {
    const detail = expect.stringContaining('Neither the CRM nor any of the requested systems');
    for (const [system, body] of [
      ['/directory', { email: 'unknown@meridianpalm.example' }],
      ['', { crmId: 99_999 }],
      ['/chat-bot', { crmId: 99_999 }],
    ] as const)
      expect(await terminate(system, body)).toMatchObject({ state: 'failed', error: { status: 404, detail } });
  });

  it('when the CRM has no e-mail of the user to search the system by', async () => {
    expect(await terminate('/directory', { crmId: 99_999 })).toMatchObject({
      error: { status: 404, detail: expect.stringContaining('Send the email instead') },
    });
    await callCrm(sandbox.url, 'user.update', { ID: 140, EMAIL: '' });
    expect(await terminate('/directory', { crmId: 140 })).toMatchObject({
      error: { status: 409, detail: expect.stringContaining('Send the email instead') },
    });
  });

  it('when the e-mail of the user is protected', async () =>
    expect(await terminate('/directory', { email: 'SVC-backup@meridianpalm.example' })).toMatchObject({
      state: 'failed',
      error: { status: 403 },
    }));

  it('when several accounts of the system have the e-mail, listing them', async () => {
    const [meant, other] = [person(44), person(56)];
    await askDirectory('PUT', `/systemusers/${other.directoryId}`, { email: meant.email });
    const { error } = await terminate('/directory', { crmId: 44 });
    expect(error?.status).toBe(409);
    expect(error?.detail).toContain(meant.directoryId);
    expect(error?.detail).toContain(other.directoryId);
    expect(error?.detail).not.toContain('@');
  });

  it('when several CRM users share the e-mail and no CRM id is given', async () => {
    const { email } = person(77);
    await callCrm(sandbox.url, 'user.update', { ID: 98, EMAIL: email });
    expect(await terminate('/directory', { email })).toMatchObject({
      error: { status: 409, detail: expect.stringContaining('77, 98') },
    });
    expect(await terminate('/directory', { crmId: 77 })).toMatchObject({
      error: { status: 409, detail: expect.stringContaining('77, 98') },
    });
    // With the CRM id the user is unambiguous.
    expect(await terminated('/property-projects', { crmId: 77 })).toMatchObject({ outcome: 'terminated' });
  });
});

describe('dryRun', () => {
  it('reports the state in each system and what would be done, and changes nothing', async () => {
    const job = await terminate('', { crmId: 242, dryRun: true });
    expect(job).toMatchObject({ state: 'succeeded', error: null });
    const result = FullTermination.parse(job.result);
    expect(result.outcome).toBe('to-be-terminated');
    for (const { outcome, before, after } of result.systems) {
      expect(outcome).toBe('to-be-terminated');
      expect(after).toEqual(before);
    }
    expect(await projectUser('u-5242')).toBe(200);
    expect(await botUser(242)).toEqual({ active: true });
    expect(await auditOf('/property-projects/users/u-5242')).toEqual([]);
  });
});

describe('validateOnly', () => {
  it('returns the user and the state in each system, and changes nothing', async () => {
    const reply = await client.request('POST', base, { body: { crmId: 242, reason, validateOnly: true } });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      valid: true,
      warnings: [
        { code: 'active-in-crm' },
        { code: 'to-be-terminated', detail: expect.stringContaining('User u-5242') },
        { code: 'to-be-terminated', detail: expect.stringMatching(/ACTIVATED, in \d groups/) },
        { code: 'to-be-terminated', detail: expect.stringContaining('active') },
      ],
    });
    expect(await projectUser('u-5242')).toBe(200);
    expect(await botUser(242)).toEqual({ active: true });
  });

  it('returns the conflicts that prevent the termination', async () => {
    await callCrm(sandbox.url, 'user.update', { ID: 100, EMAIL: person(79).email });
    const reply = await client.request('POST', `${base}/directory`, {
      body: { crmId: 79, reason, validateOnly: true },
    });
    expect(reply.status).toBe(409);
    const ofAll = await client.request('POST', base, { body: { crmId: 79, reason, validateOnly: true } });
    expect(ofAll.body).toMatchObject({
      warnings: [
        { code: 'active-in-crm' },
        { code: 'absent' },
        { code: 'conflict', severity: 'error' },
        { code: 'absent' },
      ],
    });
  });
});

describe('a failure', () => {
  it('is retried when a system fails temporarily', async () => {
    await sandbox.control.fault('property-projects', { fault: 'error-500', path: '/users', times: 2 });
    await sandbox.control.fault('directory', { fault: 'html', times: 1 });
    expect(await terminated('/property-projects', { crmId: 62 })).toMatchObject({ outcome: 'terminated' });
    expect(await terminated('/directory', { crmId: 23 })).toMatchObject({ outcome: 'terminated' });
  });

  it('is recovered when the response was lost but the change was made', async () => {
    await sandbox.control.fault('property-projects', { fault: 'drop-after-commit', method: 'DELETE' });
    expect(await terminated('/property-projects', { crmId: 48 })).toMatchObject({
      outcome: 'terminated',
      before: { active: true },
      after: null,
    });
  });

  it('in one system does not affect the others; the retry does only what remains', async () => {
    await revertBotChanges();
    const { id } = await client.requestJob('POST', base, { body: { crmId: 212, reason } });
    const between = await client.waitForJob(id, ({ error }) => error !== null);
    expect(between).toMatchObject({ state: 'scheduled', result: null });
    expect(between.error?.detail).toMatch(/^Closed to the user: property-projects, directory\. Not closed: chat-bot: /);
    expect(await projectUser('u-5212')).toBe(404);

    await stopRevertingBotChanges();
    const job = await client.waitForJob(id);
    const { systems } = FullTermination.parse(job.result);
    expect(systems.map(({ outcome }) => outcome)).toEqual(['terminated', 'terminated', 'terminated']);
    expect(systems[0]).toMatchObject({ before: { active: true }, after: null });
    const { byPath } = await sandbox.control.requests('property-projects');
    expect(byPath['DELETE /users/u-5212']).toBe(1);
    expect(await auditOf('/chat-bot/users/631')).toMatchObject([
      { after: { stage: 'begun' } },
      { after: { stage: 'ended' } },
    ]);
  });

  it('that is permanent fails the job and names the remaining systems; a retry completes them', async () => {
    await sandbox.control.fault('directory', { fault: 'unauthorized', path: 'search', times: 1 });
    const failed = await terminate('', { crmId: 213 });
    expect(failed).toMatchObject({ state: 'failed', attempts: { made: 1 } });
    expect(failed.error?.detail).toBe(
      'Closed to the user: property-projects, chat-bot. Not closed: directory: The identity directory rejects our credentials: Unauthorized.',
    );
    await client.requestJob('POST', `/jobs/${failed.id}/retry`);
    const { systems } = FullTermination.parse((await client.waitForJob(failed.id)).result);
    expect(systems.map(({ outcome }) => outcome)).toEqual(['terminated', 'terminated', 'terminated']);
  });

  it('is final when a system confirms but never makes the change', async () => {
    const last = await startService('terminations last', { ...terminations, attempts: 1 });
    try {
      await revertBotChanges(last);
      const by = await last.client(['users:terminate']);
      const job = await terminate('/chat-bot', { crmId: 52 }, by);
      expect(job).toMatchObject({ state: 'failed', result: null, error: { status: 502 } });
      expect(job.error?.detail).toBe(
        'User 536 was terminated in the chat-bot database, but still has access when read again. Check the user there.',
      );
      expect(await auditOf('/chat-bot/users/536', last)).toMatchObject([{ after: { stage: 'begun' } }]);
    } finally {
      await closeService(last);
    }
  });
});

describe('two terminations of one user', () => {
  it('run one after the other, by id or e-mail; the same request starts one job', async () => {
    const { email, directoryId } = person(257);
    await sandbox.control.fault('directory', { fault: 'slow', method: 'PUT', delayMs: 800 });
    const all = await client.requestJob('POST', base, { body: { crmId: 257, reason } });
    const same = await client.request('POST', base, { body: { crmId: 257, reason } });
    expect(same.headers.get('portal-existing-job')).toBe('true');
    const update = `PUT /systemusers/${directoryId}`;
    const updates = async () => (await sandbox.control.requests('directory')).byPath[update];
    await expect.poll(updates).toBe(1);
    const second = await terminated('/directory', { email });
    expect(second.outcome).toBe('already-terminated');
    expect((await client.job(all.id)).state).toBe('succeeded');
    expect(await updates()).toBe(1);
  });
});

/** Adds a trigger with which the chat bot's database reverts each deactivation. */
async function revertBotChanges(of = service): Promise<void> {
  await queryChatBot(
    of.databaseUrl,
    `create function keep_active() returns trigger language plpgsql as 'begin new.active := true; return new; end';
     create trigger keep_active before update on users for each row execute function keep_active()`,
  );
}
const stopRevertingBotChanges = () => queryChatBot(service.databaseUrl, 'drop function keep_active cascade');
