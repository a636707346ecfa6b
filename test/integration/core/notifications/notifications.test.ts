/** Notifications: what is reported with the row that ends a run, and how it is sent, retried and counted. */
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { insertCallback } from '../../../../core/callbacks/outbox.ts';
import { newJobId } from '../../../../core/jobs/contract.ts';
import type { JobRun } from '../../../../core/jobs/record.ts';
import { createJobRecords, type JobRecords } from '../../../../core/jobs/repository/repository.ts';
import { NotifyConfig } from '../../../../core/notifications/config.ts';
import { startNotifications } from '../../../../core/notifications/deliver.ts';
import { NotificationMessage } from '../../../../core/notifications/notification.ts';
import { type Notify, notifyOfStops, openNotify } from '../../../../core/notifications/notify.ts';
import { notificationTable as table } from '../../../../core/notifications/schema.ts';
import { readConfig } from '../../../../core/runtime/config.ts';
import { type Problem, problemOf, ServiceError } from '../../../../core/runtime/errors.ts';
import { userAgent } from '../../../../core/runtime/version.ts';
import { schedulerClientId } from '../../../../core/schedules/schedule.ts';
import { type CallbackReceiver, startCallbackReceiver } from '../../../support/callback-receiver.ts';
import { logLines } from '../../../support/log-lines.ts';
import { type MailReceiver, startMailReceiver } from '../../../support/mail-receiver.ts';
import { useTestDatabase } from '../../../support/test-database.ts';
import { soloJob, trialJob } from '../../../support/trial-jobs.ts';

const secret = `whsec_${Buffer.from('a notification secret, 32 bytes.').toString('base64')}`;
const LogLine = z.object({ msg: z.string(), channel: z.string().optional() });
const page = 'https://portal.example/v2/ops';

const { database } = await useTestDatabase('notifications', 8);
let mail: MailReceiver;
let hook: CallbackReceiver;
const running: { stop(): Promise<void> }[] = [];
beforeEach(async () => {
  await database.pool.query('truncate notification, job cascade');
  mail = await startMailReceiver();
  hook = await startCallbackReceiver();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(delivery => delivery.stop()));
  await Promise.all([mail.close(), hook.close()]);
});

const configOf = (env: Record<string, string>) => readConfig(NotifyConfig, env);
const byMail = () => ({
  SMTP_URL: mail.url,
  MAIL_FROM: 'Portal <portal@house.example>',
  NOTIFY_MAIL_TO: 'ops@house.example, lead@house.example',
});
const byWebhook = () => ({ NOTIFY_WEBHOOK_URL: hook.url('/ops'), NOTIFY_WEBHOOK_SECRET: secret });

async function deliver(env: Record<string, string>, logger = pino({ level: 'silent' })): Promise<void> {
  const options = { everyMs: 50, retrySeconds: [0.1, 0.1] };
  running.push(await startNotifications({ database, logger }, configOf(env), page, options));
}

const rows = () => database.select().from(table).orderBy(table.id);
const sample = { topic: 'a topic', title: 'A title', detail: 'Why.', path: '/jobs/x' };
const message = (index: number): NotificationMessage => {
  const post = hook.received('/ops')[index];
  if (!post) throw new Error(`no post ${index}`);
  expect(post.headers['user-agent']).toBe(userAgent);
  // Throws when the signature is not that of the body.
  return NotificationMessage.parse(new Webhook(secret).verify(post.body, post.headers));
};

describe('the end of a run', () => {
  const effectful = { ...soloJob, hasEffects: true } as const;
  const contracts = new Map([trialJob, effectful].map(contract => [contract.kind, contract]));
  const recordsWith = (notify: Notify): JobRecords =>
    createJobRecords(database, {
      resultRetentionHours: 1,
      insertCallback,
      reportStop: notifyOfStops(notify, contracts),
    });

  async function begin(records: JobRecords, kind: string, clientId = 'portal'): Promise<JobRun> {
    const id = newJobId(kind);
    await records.create({ id, kind, clientId, payload: {}, attemptsMax: 1 });
    const run = { jobId: id, runId: id.slice(kind.length + 1) };
    await records.begin(run, 1);
    return run;
  }
  const problem: Problem = problemOf(new ServiceError('upstream-failed', 'The CRM rejected Jane Doe.'), '/jobs/x');
  const failure = { error: problem, warnings: [], sandboxes: [] };
  const held = {
    result: { heldBecause: ['480 of 1200 rows would be deleted.'] },
    plan: {},
    warnings: [],
    sandboxes: [],
  };

  it('is reported with its row when the run is held', async () => {
    const records = recordsWith(openNotify(configOf(byMail())));
    const run = await begin(records, 'trial');
    expect(await records.hold(run, { ...held, changes: () => [] })).toBe(true);
    expect(await rows()).toMatchObject([
      {
        channel: 'mail',
        topic: `held ${run.jobId}`,
        content: {
          title: 'A trial run is held',
          detail: '480 of 1200 rows would be deleted.',
          path: `/jobs/${run.jobId}`,
        },
      },
    ]);
  });

  it('is not reported when the run was cancelled meanwhile, or has lost its claim', async () => {
    const records = recordsWith(openNotify(configOf(byMail())));
    const cancelled = await begin(records, 'trial');
    await records.requestCancel(cancelled.jobId);
    expect(await records.hold(cancelled, { ...held, changes: () => [] })).toBe(true);
    const lost = await begin(records, 'solo');
    const other = { ...lost, runId: cancelled.runId };
    expect(await records.fail(other, { ...failure, scheduledAgain: false })).toBe(false);
    expect(await rows()).toEqual([]);
  });

  it.each([
    ['of a kind that changes outside systems', 'solo', 'portal', 1],
    ['that a schedule started', 'trial', schedulerClientId, 1],
    ['of another kind, of a client', 'trial', 'portal', 0],
  ])('of a job %s that failed for good', async (_, kind, clientId, count) => {
    const records = recordsWith(openNotify(configOf(byMail())));
    const run = await begin(records, kind, clientId);
    await records.fail(run, { ...failure, scheduledAgain: true });
    expect(await rows()).toEqual([]);
    await records.begin(run, 2);
    await records.fail(run, { ...failure, scheduledAgain: false });
    const reported = await rows();
    expect(reported).toHaveLength(count);
    // The detail of the problem may name a person.
    for (const { content } of reported)
      expect(content).toMatchObject({ title: `A ${kind} job failed for good`, detail: problem.title });
  });

  it('is reported when the queue gave the job up', async () => {
    const records = recordsWith(openNotify(configOf(byMail())));
    const { jobId } = await begin(records, 'solo');
    await records.markFailed(jobId, problem);
    expect(await rows()).toMatchObject([{ content: { title: 'A solo job failed for good' } }]);
  });

  it('is not written when its notification cannot be', async () => {
    const records = recordsWith(() => Promise.reject(new Error('no')));
    const run = await begin(records, 'solo');
    await expect(records.fail(run, { ...failure, scheduledAgain: false })).rejects.toThrow('no');
    expect((await records.find(run.jobId))?.state).toBe('running');
  });

  it('writes nothing without a receiver', async () => {
    const records = recordsWith(openNotify(configOf({})));
    const run = await begin(records, 'solo');
    expect(await records.fail(run, { ...failure, scheduledAgain: false })).toBe(true);
    expect(await rows()).toEqual([]);
  });
});

describe('a notification', () => {
  it('is sent once by each channel, however many processes deliver', async () => {
    const env = { ...byMail(), ...byWebhook() };
    for (let process = 0; process < 3; process++) await deliver(env);
    await openNotify(configOf(env))(database, { ...sample, detail: '<b>480</b> rows' });
    await expect.poll(async () => (await rows()).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    expect(mail.mails).toHaveLength(1);
    expect(mail.mails[0]).toMatchObject({ to: ['ops@house.example', 'lead@house.example'], subject: 'A title' });
    expect(mail.mails[0]?.text).toMatch(/<b>480<\/b> rows\s+Open the operations page: https:\S+\/v2\/ops\/jobs\/x/);
    expect(mail.mails[0]?.html).toContain('&lt;b&gt;480&lt;/b&gt; rows');
    expect(hook.received('/ops')).toHaveLength(1);
    expect(message(0)).toMatchObject({
      type: 'notification',
      data: { title: 'A title', detail: '<b>480</b> rows', count: 1, url: `${page}/jobs/x` },
    });
  });

  it('is written in the transaction of what it reports', async () => {
    const notify = openNotify(configOf(byMail()));
    const rolledBack = database.transaction(async tx => {
      await notify(tx, sample);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await rows()).toEqual([]);
  });

  it('counts further ones with its topic, which are sent an hour later, with the last content', async () => {
    const notify = openNotify(configOf(byWebhook()));
    await deliver(byWebhook());
    await notify(database, sample);
    await expect.poll(() => hook.received('/ops').length).toBe(1);
    await expect.poll(async () => (await rows())[0]?.state).toBe('delivered');
    await Promise.all(Array.from({ length: 20 }, () => notify(database, sample)));
    await notify(database, { ...sample, detail: 'The last reason.' });
    await notify(database, { ...sample, topic: 'another topic' });
    await expect.poll(() => hook.received('/ops').length).toBe(2);

    const waiting = (await rows()).filter(({ topic, count }) => topic === 'a topic' && count > 1);
    expect(waiting).toMatchObject([{ count: 21, state: 'pending', tries: 0 }]);
    const minutes = ((waiting[0]?.nextTryAt.getTime() ?? 0) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(50);
    expect(minutes).toBeLessThan(70);
    await expect.poll(async () => (await rows()).filter(({ state }) => state === 'delivered').length).toBe(2);
    await database.update(table).set({ nextTryAt: sql`now()` });
    await expect.poll(() => hook.received('/ops').length).toBe(3);
    expect(message(2).data).toMatchObject({ count: 21, detail: 'The last reason.' });
  });

  it('is sent again with the same id while its receiver is down, and given up at last', async () => {
    const { logger, lines } = logLines();
    hook.answerWith('/ops', time => (time === 1 ? 503 : 204));
    mail.reject(550, 'ops@house.example', 10);
    const env = { ...byMail(), ...byWebhook() };
    await openNotify(configOf(env))(database, sample);
    await deliver(env, logger);
    await expect
      .poll(async () => (await rows()).map(({ channel, state, tries }) => ({ channel, state, tries })))
      .toEqual([
        { channel: 'mail', state: 'failed', tries: 3 },
        { channel: 'webhook', state: 'delivered', tries: 2 },
      ]);
    const ids = hook.received('/ops').map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    // Only what was sent is logged as delivered.
    const logged = z.array(LogLine).parse(lines());
    expect(logged.filter(({ msg }) => msg === 'notification delivered').map(({ channel }) => channel)).toEqual([
      'webhook',
    ]);
    expect(logged.filter(({ msg }) => msg === 'notification not delivered')).toHaveLength(4);
    const errors = (await rows()).map(({ lastError }) => lastError);
    expect(errors[0]).toMatch(/^The mail server did not accept the mail/);
    expect(errors.join()).not.toContain('ops@house.example');
  });

  it('is sent by another process when the one that claimed it died', async () => {
    await openNotify(configOf(byWebhook()))(database, sample);
    await database.update(table).set({ tries: 1, nextTryAt: sql`now() - interval '1 second'` });
    await deliver(byWebhook());
    await expect.poll(() => hook.received('/ops').length).toBe(1);
  });
});
