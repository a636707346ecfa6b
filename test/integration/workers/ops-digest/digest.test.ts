/** The digest covers the last 24 hours and is mailed once a day, also when its job is retried. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertTable } from '../../../../core/alerts/schema.ts';
import { clickTable, linkTable } from '../../../../core/domain/links/schema.ts';
import { smsBalanceTable, smsMessageTable } from '../../../../core/domain/telephony/schema.ts';
import { effectTable } from '../../../../core/effects/schema.ts';
import { newJobId } from '../../../../core/jobs/contract.ts';
import { jobTable } from '../../../../core/jobs/schema.ts';
import { oauthClientTable } from '../../../../core/oauth/schema.ts';
import { readConfig } from '../../../../core/runtime/config.ts';
import { scheduleFireTable } from '../../../../core/schedules/schema.ts';
import { createProcessMetrics } from '../../../../core/telemetry/process-metrics.ts';
import contract, { SentDigest } from '../../../../workers/ops-digest/contract.ts';
import handler, { DigestConfig } from '../../../../workers/ops-digest/handler.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { type MailReceiver, startMailReceiver } from '../../../support/mail-receiver.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';

const hasty = { ...contract, backoffMs: 10 };
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
const linkId = '0198c0de-0000-7000-8000-00000000000a';

async function runDigest(client: ApiClient) {
  const { id } = await client.requestJob('POST', '/schedules/ops-digest/run');
  const job = await client.waitForJob(id);
  expect(job.state).toBe('succeeded');
  return { job, digest: SentDigest.parse(job.result) };
}

async function putJob(service: TestService, job: Partial<typeof jobTable.$inferInsert>): Promise<string> {
  const id = newJobId(job.kind ?? 'pdf');
  await service.database
    .insert(jobTable)
    .values({ id, kind: 'pdf', clientId: 'portal', payload: {}, attemptsMax: 1, ...job });
  return id;
}

/** Inserts data of each section, within the last 24 hours and before them. */
async function fillDays(service: TestService): Promise<{ heldId: string; failedId: string }> {
  const ended = (hours: number, seconds: number) => {
    const finishedAt = ago(hours);
    return { startedAt: new Date(finishedAt.getTime() - seconds * 1_000), finishedAt };
  };
  for (const seconds of [2, 4, 6]) await putJob(service, { state: 'succeeded', ...ended(3, seconds) });
  await putJob(service, { state: 'succeeded', ...ended(30, 2) });
  await putJob(service, { state: 'cancelled', ...ended(30, 2) });
  const error = { type: 'x', title: 'The browser <failed>', status: 500, detail: 'private detail' };
  const failedId = await putJob(service, { state: 'failed', error, ...ended(5, 1) });
  const counts = { read: 10, matched: 6, created: 3, updated: 1, deleted: 0, failed: 0, calls: 7 };
  for (const dryRun of [false, false, true]) {
    await putJob(service, {
      kind: 'crm-acquisition',
      state: 'succeeded',
      result: { ...counts, dryRun },
      ...ended(2, 1),
    });
  }
  const heldId = await putJob(service, { kind: 'location-sync', state: 'held', touchedAt: ago(6) });
  const { database } = service;
  await database.insert(scheduleFireTable).values([
    { schedule: 'event-orders', dueAt: ago(1), outcome: 'skipped-overlap', by: 'scheduler', at: ago(1) },
    { schedule: 'event-orders', dueAt: ago(2), outcome: 'fired', by: 'scheduler', at: ago(2) },
    { schedule: 'event-orders', dueAt: ago(40), outcome: 'missed-skipped', by: 'scheduler', at: ago(40) },
  ]);
  await database.insert(effectTable).values({
    key: 'one',
    kind: 'lead-created',
    system: 'crm',
    state: 'unknown',
    leaseId: linkId,
    leasedUntil: ago(1),
  });
  const sms = { clientId: 'portal', kind: 'service', sender: 'PORTAL', state: 'sent' } as const;
  await database.insert(smsMessageTable).values([
    { ...sms, id: 'a', parts: 2 },
    { ...sms, id: 'b', parts: 1, state: 'unknown' },
    { ...sms, id: 'c', parts: 5, createdAt: ago(30) },
  ]);
  await database.insert(smsBalanceTable).values([
    { askedAt: ago(1), amount: 64.5, currency: 'AED' },
    { askedAt: ago(0), amount: null },
  ]);
  const url = 'https://portal.example/';
  await database.insert(linkTable).values({
    id: linkId,
    kind: 'campaign',
    name: 'Palm launch',
    url,
    utm: {},
    target: url,
    slug: 'palm',
    slugKey: 'palm',
    clientId: 'portal',
    fingerprint: 'x',
  });
  const click = { linkId, class: 'human', scanned: false } as const;
  await database.insert(clickTable).values([
    { ...click, at: ago(1) },
    { ...click, at: ago(2), scanned: true },
    { ...click, at: ago(3), class: 'bot' },
    { ...click, at: ago(30) },
  ]);
  await database.insert(alertTable).values({
    id: linkId,
    rule: 'held-run',
    subject: heldId,
    severity: 'warning',
    what: 'A run is held.',
    mend: 'Check it.',
    firstSeenAt: ago(6),
    openedAt: ago(6),
    lastSeenAt: ago(0),
  });
  await database.insert(oauthClientTable).values([
    { clientId: 'old', name: 'Old portal', scopes: ['pdf'], createdAt: ago(4_000), lastUsedAt: ago(2_400) },
    { clientId: 'off', name: 'Off', scopes: ['pdf'], createdAt: ago(4_000), isActive: false },
    { clientId: 'young', name: 'Young', scopes: ['pdf'], createdAt: ago(40) },
  ]);
  const counted = (status: string, value: number) => ({
    metricName: 'portal_outside_call_duration_seconds_count',
    labels: { system: 'crm', method: 'POST', status },
    value,
  });
  await createProcessMetrics(database).write({
    process: 'worker',
    instance: 'a:1',
    snapshot: [{ name: 'portal_outside_call_duration_seconds', values: [counted('2xx', 40), counted('none', 2)] }],
  });
  return { heldId, failedId };
}

let mail: MailReceiver;
let service: TestService;
let client: ApiClient;

beforeAll(async () => {
  mail = await startMailReceiver();
  service = await startTestService('ops-digest', { contracts: new Map([[contract.kind, hasty]]) });
  client = await service.client(['schedules:run', 'jobs:all']);
});
afterAll(async () => {
  await service?.close();
  await mail?.close();
});

async function startWorker(env: Record<string, string>) {
  const config = readConfig(DigestConfig, env);
  return service.startWorker([{ contract: hasty, handler: await handler.open(config, service) }]);
}

describe('the digest', () => {
  it('is only the job’s result without a mail server, with a warning about the missing settings', async () => {
    const worker = await startWorker({});
    const { job, digest } = await runDigest(client);
    expect(digest).toMatchObject({ mail: 'not-configured', errors: [], sms: { balance: null } });
    expect(job.warnings).toMatchObject([{ code: 'mail-not-configured', detail: expect.stringContaining('SMTP_URL') }]);
    await worker.stop();
  });

  it('covers the last 24 hours, as mail and JSON, and is retried until the mail server accepts it', async () => {
    const { heldId, failedId } = await fillDays(service);
    await startWorker({
      SMTP_URL: mail.url,
      MAIL_FROM: 'portal@house.example',
      DIGEST_MAIL_TO: 'ops@house.example',
    });
    mail.reject(451, 2);
    const { digest } = await runDigest(client);

    expect(digest).toMatchObject({
      mail: 'sent',
      jobs: expect.arrayContaining([
        {
          kind: 'pdf',
          succeeded: 3,
          failed: 1,
          cancelled: 0,
          before: { succeeded: 1, failed: 0, cancelled: 1 },
          typicalSeconds: 3,
          slowSeconds: expect.closeTo(5.7),
        },
      ]),
      errors: [{ kind: 'pdf', title: 'The browser <failed>', count: 1, lastJobId: failedId }],
      syncs: [
        {
          kind: 'crm-acquisition',
          runs: 2,
          read: 20,
          created: 6,
          updated: 2,
          deleted: 0,
          failed: 0,
          calls: 14,
        },
      ],
      held: [{ jobId: heldId, kind: 'location-sync', hours: 6 }],
      fires: [{ schedule: 'event-orders', outcome: 'skipped-overlap', count: 1 }],
      systems: [{ system: 'crm', calls: 42, faults: 2 }],
      unknownEffects: [{ kind: 'lead-created', count: 1 }],
      sms: { sent: 1, unknown: 1, parts: 3, balance: { amount: 64.5, currency: 'AED' } },
      links: { created: 1, clicks: 2, scans: 1, most: [{ name: 'Palm launch', clicks: 2 }] },
      alerts: [{ rule: 'held-run', subject: heldId }],
      unusedClients: [{ clientId: 'old' }],
    });
    expect(digest.jobs[0]?.kind).toBe('pdf');

    expect(mail.mails).toHaveLength(1);
    const [sent] = mail.mails;
    expect(sent?.to).toEqual(['ops@house.example']);
    expect(sent?.subject).toBe(`Daily digest, ${digest.day}: 1 open alert, 1 held run, 1 failed job`);
    for (const part of [sent?.text, sent?.html]) {
      expect(part).toContain('7 jobs succeeded, 1 failed: 1 more than the day before.');
      expect(part).toContain(`http://portal.example/v2/ops/jobs/${heldId}`);
      expect(part).toContain('Balance: 64.50 AED');
      expect(part).not.toContain('private detail');
    }
    expect(sent?.html).toContain('The browser &lt;failed&gt;');
  });

  it('is mailed once a day, also when it is requested again', async () => {
    expect((await runDigest(client)).digest.mail).toBe('sent-before');
    expect(mail.mails).toHaveLength(1);
  });
});
