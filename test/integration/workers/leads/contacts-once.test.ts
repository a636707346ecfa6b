/** Phones and e-mails are added to a lead once despite failures, although the CRM adds what it receives each time. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import crmSystem from '../../../../core/integrations/crm/system.ts';
import { toE164 } from '../../../../core/values/phone-number.ts';
import leadsJob from '../../../../workers/leads/contract.ts';
import handler from '../../../../workers/leads/handler.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { type ServiceProcess, stopProcesses } from '../../../support/processes.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { backends, startTestService, type TestService } from '../../../support/test-service.ts';
import { startWorkerProcess } from '../../../support/worker-process.ts';

/** Disables the CRM's rate limit. */
const pace = { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' };
const contracts = new Map([[leadsJob.kind, leadsJob]]);
const phone = '+971550029101';
const email = 'once@example.com';

const sandbox = useSandbox();
let service: TestService;
let client: ApiClient;
let id: number;

beforeEach(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  const { latest } = await sandbox.control.rows('crm', 'leads', 1);
  id = z.array(z.looseObject({ ID: z.int() })).parse(latest)[0]?.ID ?? 0;
});
afterEach(() => sandbox.control.reset('crm'));

async function openService(options: Parameters<typeof startTestService>[1]): Promise<void> {
  service = await startTestService('lead contacts', { sandboxUrl: sandbox.url, contracts, env: pace, ...options });
  client = await service.client(['leads']);
}

const requestChange = (fields: object, operation = 'update') =>
  client.requestJob('POST', `/apps/portal/v1/leads/${operation}`, { body: { id, fields } });

/** How often the lead has the phone and the e-mail, in any spelling. */
async function countContacts(): Promise<[phones: number, emails: number]> {
  const lead = await crmSystem.client(service.systems).leads.get(id);
  if (!lead) throw new Error(`there is no lead ${id}`);
  return [
    lead.phones.filter(text => toE164(text) === phone).length,
    lead.emails.filter(text => text.toLowerCase() === email).length,
  ];
}

describe.each(backends)('with queues in %s, a lead', backend => {
  beforeAll(async () => {
    await openService({ backend });
    service.startWorker([{ contract: leadsJob, handler: await handler.open({}, service) }]);
  });
  afterAll(() => service.close());

  it.each(['drop-after-commit', 'malformed'] as const)(
    'gets a phone once when the CRM’s response was lost (%s)',
    async fault => {
      // The first batch reads the lead, the second one changes it.
      await sandbox.control.fault('crm', { fault, path: '/batch', skip: 1 });
      const job = await requestChange({ phones: [phone], emails: [email], utm: { campaign: 'creek' } }, 'queue');
      const { state, result } = await client.waitForJob(job.id);
      expect(state).toBe('succeeded');
      expect(await countContacts()).toEqual([1, 1]);
      const update = leadsJob.result.parse(result).leads[0]?.update;
      expect(update).toMatchObject({ outcome: 'updated', fields: expect.arrayContaining(['phones', 'emails', 'utm']) });
    },
  );

  it('gets a phone when the CRM’s first attempt failed', async () => {
    await sandbox.control.fault('crm', { fault: 'error-500', path: '/batch', skip: 1 });
    const job = await requestChange({ phones: [phone], emails: [email] });
    expect((await client.waitForJob(job.id)).state).toBe('succeeded');
    expect(await countContacts()).toEqual([1, 1]);
  });

  it('gets a phone once from two concurrent jobs', async () => {
    await sandbox.control.fault('crm', { fault: 'slow', path: '/batch', times: 2, delayMs: 500 });
    const jobs = await Promise.all([
      requestChange({ phones: [phone] }),
      requestChange({ phones: [phone], emails: [email] }),
    ]);
    for (const job of jobs) expect((await client.waitForJob(job.id)).state).toBe('succeeded');
    expect(await countContacts()).toEqual([1, 1]);
  });

  it('gets a phone once when it is sent in two spellings, by one job or by two', async () => {
    const fields = { phones: [phone, '055 002 9101'], emails: [email, email.toUpperCase()] };
    for (let time = 0; time < 2; time += 1) {
      const job = await requestChange(fields);
      expect((await client.waitForJob(job.id)).state).toBe('succeeded');
    }
    expect(await countContacts()).toEqual([1, 1]);
  });
});

describe('a worker suspended for longer than its lock', () => {
  const processes: ServiceProcess[] = [];
  const start = () => {
    const worker = startWorkerProcess(service, sandbox.url, ['leads'], pace);
    processes.push(worker);
    return worker;
  };
  beforeAll(() => openService({}));
  afterAll(async () => {
    await stopProcesses(processes);
    await service.close();
  });

  it('adds nothing when it continues after another worker added the phone', async () => {
    const suspended = start();
    await suspended.ready;
    await sandbox.control.fault('crm', { fault: 'slow', path: '/batch', delayMs: 1_000 });
    const job = await requestChange({ phones: [phone] });
    const reads = async () => (await sandbox.control.requests('crm')).total;
    await expect.poll(reads).toBe(1);
    suspended.kill('SIGSTOP');
    start();
    expect((await client.waitForJob(job.id)).state).toBe('succeeded');
    expect(await countContacts()).toEqual([1, 0]);
    suspended.kill('SIGCONT');
    await expect.poll(() => suspended.output()).toContain('another run has taken the job over');
    expect(await countContacts()).toEqual([1, 0]);
  });
});
