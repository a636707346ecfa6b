/** Terminations with real processes: a killed worker, concurrent readers, and no personal data in logs and tables. */
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FullTermination } from '../../../../core/domain/terminations/termination.ts';
import { auditTable } from '../../../../core/postgres/schema.ts';
import { people } from '../../../../sandbox/kit/people.ts';
import terminations from '../../../../workers/terminations/contract.ts';
import { type ApiClient, openApiClient } from '../../../support/api-client.ts';
import { useChatBotDatabase } from '../../../support/chat-bot-database.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../../../support/processes.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { useService } from '../../../support/test-service.ts';
import { startWorkerProcess } from '../../../support/worker-process.ts';

const path = '/apps/crm/v1/users/terminate';
const reason = 'Left the firm';
const pace = { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000', LOG_LEVEL: 'debug' };

const sandbox = useSandbox();
const service = useService('terminations killed', () => ({
  sandboxUrl: sandbox.url,
  contracts: new Map([[terminations.kind, terminations]]),
}));
useChatBotDatabase(service);
let client: ApiClient;
let first: ServiceProcess;
let processes: ServiceProcess[] = [];

beforeAll(() => sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 }));
beforeEach(async () => {
  const api = startProcess('api/main.ts', {
    env: {
      ...pace,
      NODE_ENV: 'development',
      PORT: '0',
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: service.dataFolder,
      SANDBOX_PORT: new URL(sandbox.url).port,
    },
  });
  processes = [api];
  first = startWorker();
  const { accessToken, clientId } = await service.client(['users:terminate']);
  const origin = await api.ready;
  client = openApiClient({ origin, operations: service.operations, accessToken, clientId });
  await first.ready;
});
afterEach(() => stopProcesses(processes));

function startWorker(): ServiceProcess {
  const worker = startWorkerProcess(service, sandbox.url, ['terminations'], pace);
  processes.push(worker);
  return worker;
}

/** A user's state in the directory, read directly: state, and whether it has groups. */
async function stateInDirectory(id: string): Promise<string> {
  const ask = async (below: string) =>
    (await fetch(`${sandbox.url}/directory${below}`, { headers: { 'x-api-key': 'sandbox' } })).json() as Promise<
      { state: string } & unknown[]
    >;
  const groups = await ask(`/v2/users/${id}/memberof?limit=100`);
  const { state } = await ask(`/systemusers/${id}`);
  return `${state} ${groups.length > 0 ? 'in groups' : 'in no group'}`;
}

describe('a worker killed during a termination', () => {
  it('leaves a job that another worker completes, with the states before and without partial results', async () => {
    const person = people()[241];
    if (!person) throw new Error('person 241 is missing');
    await sandbox.control.reset('directory');
    await sandbox.control.fault('directory', { fault: 'slow', path: '/members', skip: 1, delayMs: 5_000 });
    const job = await client.requestJob('POST', path, { body: { crmId: person.crmId, reason } });

    const results = new Set<string>();
    const states: string[] = [];
    const observe = async () => {
      const { state, result } = await client.job(job.id);
      results.add(`${state} ${result === null ? 'without a result' : JSON.stringify(result)}`);
      const now = await stateInDirectory(person.directoryId);
      if (states.at(-1) !== now) states.push(now);
      return state;
    };

    const groupsLeft = async () => {
      await observe();
      const { requests } = await sandbox.control.requests('directory');
      return requests.filter(one => one.method === 'POST' && one.path.endsWith('/members')).length;
    };
    await expect.poll(groupsLeft).toBe(2);
    first.kill('SIGKILL');
    await first.ended;
    startWorker();
    expect((await client.job(job.id)).state).toBe('running');

    await expect.poll(observe).toBe('succeeded');
    const result = FullTermination.parse((await client.job(job.id)).result);
    expect(result).toMatchObject({
      outcome: 'terminated',
      systems: [
        { system: 'property-projects', outcome: 'terminated', before: { active: true }, after: null },
        { before: { state: 'ACTIVATED' }, after: { state: 'SUSPENDED', groups: [] } },
        { system: 'chat-bot', before: { active: true }, after: { active: false } },
      ],
    });
    // Suspended before the groups are removed, and never activated again.
    expect(states).toEqual(['ACTIVATED in groups', 'SUSPENDED in groups', 'SUSPENDED in no group']);
    expect([...results].filter(one => !one.endsWith('without a result'))).toEqual([
      expect.stringMatching(/^succeeded \{/),
    ]);

    const entries = await service.database
      .select({ target: auditTable.target, stage: sql<string>`${auditTable.after}->>'stage'` })
      .from(auditTable)
      .where(sql`${auditTable.action} = 'crm.terminateUser' and ${auditTable.after}->>'jobId' = ${job.id}`);
    const stages = (target: string) => entries.filter(one => one.target === target).map(one => one.stage);
    expect(entries).toHaveLength(6);
    for (const target of ['/property-projects/users/u-5242', `/directory/users/${person.directoryId}`])
      expect(stages(target)).toEqual(['begun', 'ended']);
  });
});

describe('personal data', () => {
  it('is in no log of a full run, and stored only as sent', async () => {
    const fail = { directory: 'malformed', 'property-projects': 'error-500', crm: 'error-500' } as const;
    for (const [system, fault] of Object.entries(fail) as [string, 'malformed' | 'error-500'][])
      await sandbox.control.fault(system, { fault, times: 1 });
    const [byId, byEmail, inTwo] = [257, 245, 56].map(number => people()[number - 1]);
    if (!byId || !byEmail || !inTwo) throw new Error('people are missing');
    await fetch(`${sandbox.url}/directory/systemusers/${inTwo.directoryId}`, {
      method: 'PUT',
      headers: { 'x-api-key': 'sandbox', 'content-type': 'application/json' },
      body: JSON.stringify({ email: people()[43]?.email }),
    });
    const unknown = `${randomUUID()}@elsewhere.example`;
    const ask = async (system: string, body: object) => {
      const { id } = await client.requestJob('POST', path + system, { body: { reason, ...body } });
      return (await client.waitForJob(id)).state;
    };
    expect(await ask('', { crmId: byId.crmId })).toBe('succeeded');
    expect(await ask('', { email: byEmail.email })).toBe('succeeded');
    expect(await ask('/directory', { crmId: 44 })).toBe('failed');
    expect(await ask('', { email: unknown })).toBe('failed');
    await client.request('POST', path, { body: { email: byEmail.email, reason, validateOnly: true } });
    await client.request('POST', path, { body: { email: byEmail.email, crmId: 1 } });

    await stopProcesses(processes);
    const logs = processes.map(one => one.output()).join('\n');
    expect(logs).toContain('job succeeded');
    expect(logs).toContain('job failed');
    expect(logs).toContain('vendor call');
    const stored = await service.database.execute<{ rows: string }>(sql`
      select coalesce(string_agg(row::text, ' '), '') as rows from (
        select to_jsonb(e) as row from effect e union all select to_jsonb(a) from audit_entry a
        union all select to_jsonb(c) from job_checkpoint c union all select to_jsonb(j) - 'payload' from job j
      ) rows`);
    for (const text of [logs, stored.rows[0]?.rows ?? '']) {
      const found = people()
        .flatMap(one => [one.email, one.phone, one.phone.slice(4), `${one.firstName} ${one.lastName}`])
        .filter(word => text.toLowerCase().includes(word.toLowerCase()));
      expect(found).toEqual([]);
      expect(text).not.toContain(unknown);
    }
  });
});
