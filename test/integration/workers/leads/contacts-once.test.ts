/** Phones and e-mails are added to a lead once, though the CRM adds what it is sent each time: whatever breaks in between. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import crmSystem from '../../../../core/integrations/crm/system.ts';
import { toE164 } from '../../../../core/values/phone-number.ts';
import leadsJob from '../../../../workers/leads/contract.ts';
import handler from '../../../../workers/leads/handler.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { endProcesses, type ServiceProcess } from '../../../support/processes.ts';
import { type Sandbox, startSandbox } from '../../../support/sandbox.ts';
import { backends, startTestService, type TestService } from '../../../support/test-service.ts';
import { startWorkerProcess } from '../../../support/worker-process.ts';

/** The sandbox's limits are off here, and so are ours. */
const pace = { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' };
const contracts = new Map([[leadsJob.kind, leadsJob]]);
const phone = '+971550029101';
const email = 'once@example.com';

let sandbox: Sandbox;
let service: TestService;
let client: ApiClient;
let id: number;

beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  const { latest } = await sandbox.control.rows('crm', 'leads', 1);
  id = z.array(z.looseObject({ ID: z.int() })).parse(latest)[0]?.ID ?? 0;
});
afterEach(() => sandbox.control.reset('crm'));
afterAll(() => sandbox.close());

async function openService(options: Parameters<typeof startTestService>[1]): Promise<void> {
  service = await startTestService('lead contacts', {
    sandboxUrl: sandbox.url,
    contracts,
    env: pace,
    ...options,
  });
  client = await service.client(['leads']);
}

const askFor = (fields: object, operation = 'update') =>
  client.askJob('POST', `/apps/portal/v1/leads/${operation}`, { body: { id, fields } });

/** How often the lead has the phone and the e-mail, in whatever spelling. */
async function held(): Promise<[phones: number, emails: number]> {
  const lead = await crmSystem.at(service.systems).leads.get(id);
  if (!lead) throw new Error(`there is no lead ${id}`);
  return [
    lead.phones.filter(written => toE164(written) === phone).length,
    lead.emails.filter(written => written.toLowerCase() === email).length,
  ];
}

describe.each(backends)('with queues in %s, a lead', backend => {
  beforeAll(async () => {
    await openService({ backend });
    service.startWorker([{ contract: leadsJob, handler: await handler.open({}, service) }]);
  });
  afterAll(() => service.close());

  it.each(['drop-after-commit', 'malformed'] as const)(
    'gets a phone once when the CRM took it and its answer was lost (%s)',
    async fault => {
      // The first batch reads the lead, the second one changes it.
      await sandbox.control.fault('crm', { fault, path: '/batch', skip: 1 });
      const job = await askFor({ phones: [phone], emails: [email], utm: { campaign: 'creek' } }, 'queue');
      const { state, result } = await client.jobWhen(job.id);
      expect(state).toBe('succeeded');
      expect(await held()).toEqual([1, 1]);
      const update = leadsJob.result.parse(result).leads[0]?.update;
      expect(update).toMatchObject({
        outcome: 'updated',
        fields: expect.arrayContaining(['phones', 'emails', 'utm']),
      });
    },
  );

  it('gets it all the same when the CRM did not take it', async () => {
    await sandbox.control.fault('crm', { fault: 'error-500', path: '/batch', skip: 1 });
    const job = await askFor({ phones: [phone], emails: [email] });
    expect((await client.jobWhen(job.id)).state).toBe('succeeded');
    expect(await held()).toEqual([1, 1]);
  });

  it('gets it once from two jobs at a time', async () => {
    await sandbox.control.fault('crm', { fault: 'slow', path: '/batch', times: 2, delayMs: 500 });
    const jobs = await Promise.all([
      askFor({ phones: [phone] }),
      askFor({ phones: [phone], emails: [email] }),
    ]);
    for (const job of jobs) expect((await client.jobWhen(job.id)).state).toBe('succeeded');
    expect(await held()).toEqual([1, 1]);
  });

  it('gets it once though it is asked for in two spellings, one after the other or at once', async () => {
    const fields = { phones: [phone, '055 002 9101'], emails: [email, email.toUpperCase()] };
    for (let time = 0; time < 2; time += 1) {
      const job = await askFor(fields);
      expect((await client.jobWhen(job.id)).state).toBe('succeeded');
    }
    expect(await held()).toEqual([1, 1]);
  });
});

describe('a worker that was frozen for longer than its lock', () => {
  const processes: ServiceProcess[] = [];
  const start = () => {
    const worker = startWorkerProcess(service, sandbox.url, ['leads'], pace);
    processes.push(worker);
    return worker;
  };
  beforeAll(() => openService({}));
  afterAll(async () => {
    await endProcesses(processes);
    await service.close();
  });

  it('adds nothing when it wakes up and another has added the phone in its place', async () => {
    const frozen = start();
    await frozen.ready;
    await sandbox.control.fault('crm', { fault: 'slow', path: '/batch', delayMs: 1_000 });
    const job = await askFor({ phones: [phone] });
    const reads = async () => (await sandbox.control.requests('crm')).total;
    await expect.poll(reads).toBe(1);
    frozen.kill('SIGSTOP');
    start();
    expect((await client.jobWhen(job.id)).state).toBe('succeeded');
    expect(await held()).toEqual([1, 0]);
    frozen.kill('SIGCONT');
    await expect.poll(() => frozen.output()).toContain('another run took the job over');
    expect(await held()).toEqual([1, 0]);
  }, 90_000);
});
