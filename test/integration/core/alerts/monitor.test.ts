/** Alert messages: when they are sent, retried and taken over by another process. */
import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AlertNews } from '../../../../core/alerts/alert.ts';
import { AlertConfig } from '../../../../core/alerts/config.ts';
import { type AlertMonitor, startAlertMonitor } from '../../../../core/alerts/monitor.ts';
import { listOpenAlerts } from '../../../../core/alerts/open-alerts.ts';
import { createAlertOutbox } from '../../../../core/alerts/outbox.ts';
import { alertEvaluationTable, alertMessageTable, alertTable } from '../../../../core/alerts/schema.ts';
import { createCallBudgets } from '../../../../core/integrations/kit/call-budget.ts';
import { openIntegrationContext } from '../../../../core/integrations/kit/context.ts';
import { newJobId } from '../../../../core/jobs/contract.ts';
import { jobTable } from '../../../../core/jobs/schema.ts';
import { type Database, openDatabase } from '../../../../core/postgres/client.ts';
import { readConfig } from '../../../../core/runtime/config.ts';
import { ServiceConfig } from '../../../../core/runtime/service-config.ts';
import { userAgent } from '../../../../core/runtime/version.ts';
import { type CallbackReceiver, startCallbackReceiver } from '../../../support/callback-receiver.ts';
import { type MailReceiver, startMailReceiver } from '../../../support/mail-receiver.ts';
import { createTestDatabase } from '../../../support/test-database.ts';

const logger = pino({ level: 'silent' });
const secret = `whsec_${Buffer.from('an alert secret of 32 characters').toString('base64')}`;
const everyMs = 100;

let database: Database;
let dropDatabase: () => Promise<void>;
let mail: MailReceiver;
let hook: CallbackReceiver;
const monitors: AlertMonitor[] = [];

beforeAll(async () => {
  const { url, drop } = await createTestDatabase('alerts');
  dropDatabase = drop;
  database = openDatabase({ url, poolSize: 10, logger, applicationName: 'portal-test' });
});
afterAll(async () => {
  await database?.close();
  await dropDatabase?.();
});
beforeEach(async () => {
  await database.pool.query('truncate alert, alert_message, alert_look, job cascade');
  mail = await startMailReceiver();
  hook = await startCallbackReceiver();
});

afterEach(async () => {
  await Promise.all(monitors.splice(0).map(monitor => monitor.stop()));
  await Promise.all([mail.close(), hook.close()]);
});

const receivers = () => ({
  SMTP_URL: mail.url,
  MAIL_FROM: 'Portal <portal@house.example>',
  ALERT_MAIL_TO: 'ops@house.example, lead@house.example',
  ALERT_WEBHOOK_URL: hook.url('/alerts'),
  ALERT_WEBHOOK_SECRET: secret,
});

async function monitor(env: Record<string, string> = receivers()): Promise<AlertMonitor> {
  const systems = openIntegrationContext({
    env: {},
    sandboxUrl: undefined,
    budgets: createCallBudgets(database),
    logger,
  });
  const started = await startAlertMonitor(
    { database, systems, logger },
    {
      alerts: readConfig(AlertConfig, env),
      service: readConfig(ServiceConfig, { PUBLIC_URL: 'https://portal.example' }),
      contracts: new Map(),
      everyMs,
      retrySeconds: [0.2, 0.2, 0.2, 0.2, 0.2],
    },
  );
  monitors.push(started);
  return started;
}

async function holdRun(because: string): Promise<string> {
  const id = newJobId('location-sync');
  await database.insert(jobTable).values({
    id,
    kind: 'location-sync',
    clientId: 'scheduler',
    state: 'held',
    payload: {},
    attemptsMax: 1,
    result: { heldBecause: [because] },
  });
  return id;
}

const endRun = (id: string) => database.update(jobTable).set({ state: 'cancelled' }).where(eq(jobTable.id, id));

const news = (index: number) => {
  const post = hook.received('/alerts')[index];
  if (!post) throw new Error(`no post ${index}`);
  expect(post.headers['user-agent']).toBe(userAgent);
  // Throws when the signature is not that of the body.
  const body = new Webhook(secret).verify(post.body, post.headers);
  if (typeof body !== 'object' || body === null || !('data' in body)) throw new Error('no data in the post');
  return AlertNews.omit({ at: true }).parse(body.data);
};

/** Waits until `count` further evaluations have ended. */
async function evaluations(count: number): Promise<void> {
  for (let seen = 0; seen < count; seen++) {
    const [before] = await database.select().from(alertEvaluationTable);
    await expect
      .poll(async () => (await database.select().from(alertEvaluationTable))[0]?.at, longWait)
      .not.toEqual(before?.at);
  }
}

/** Long enough for a busy machine. */
const longWait = { timeout: 20_000, interval: 20 };

describe('alerts', () => {
  it('send one message when they open, none while they last, and one when they are resolved', async () => {
    const held = await holdRun('212 of 480 <b>records</b> would be deleted.');
    await monitor();
    await vi.waitFor(() => expect([mail.mails.length, hook.received('/alerts').length]).toEqual([1, 1]), longWait);

    const [opened] = mail.mails;
    expect(opened?.to).toEqual(['ops@house.example', 'lead@house.example']);
    expect(opened?.subject).toMatch(/^Warning: A run of location-sync is held since /);
    expect(opened?.headers).toMatchObject({ 'auto-submitted': 'auto-generated' });
    expect(opened?.text).toContain('212 of 480 <b>records</b> would be deleted.');
    expect(opened?.text).toContain(`https://portal.example/v2/ops/jobs/${held}`);
    expect(opened?.html).toContain('212 of 480 &lt;b&gt;records&lt;/b&gt; would be deleted.');
    expect(news(0)).toMatchObject({
      opened: [{ rule: 'held-run', subject: held }],
      reminded: [],
      resolved: [],
    });

    await evaluations(3);
    expect(await listOpenAlerts(database)).toMatchObject([{ subject: held, severity: 'warning' }]);
    expect([mail.mails.length, hook.received('/alerts').length]).toEqual([1, 1]);

    await endRun(held);
    await vi.waitFor(() => expect([mail.mails.length, hook.received('/alerts').length]).toEqual([2, 2]), longWait);
    expect(mail.mails[1]?.subject).toMatch(/^Resolved: A run of location-sync/);
    expect(news(1)).toMatchObject({ opened: [], resolved: [{ subject: held }] });
    await evaluations(2);
    expect([mail.mails.length, hook.received('/alerts').length]).toEqual([2, 2]);
    expect(await listOpenAlerts(database)).toEqual([]);
  });

  it('that open together are in one message, also with several monitors', async () => {
    const held = await Promise.all(['one', 'two', 'three'].map(holdRun));
    await Promise.all([monitor(), monitor(), monitor()]);
    await vi.waitFor(() => expect([mail.mails.length, hook.received('/alerts').length]).toEqual([1, 1]), longWait);
    await evaluations(3);
    expect([mail.mails.length, hook.received('/alerts').length]).toEqual([1, 1]);
    expect(
      news(0)
        .opened.map(({ subject }) => subject)
        .sort(),
    ).toEqual(held.sort());
    expect(mail.mails[0]?.subject).toMatch(/\(and 2 more\)$/);
  });

  it('reach one receiver while the other is down, and the other once when it is up again', async () => {
    await mail.close();
    await holdRun('one');
    await monitor();
    await vi.waitFor(() => expect(hook.received('/alerts')).toHaveLength(1), longWait);
    const tried = () => database.select().from(alertMessageTable).where(eq(alertMessageTable.channel, 'mail'));
    await vi.waitFor(async () => expect((await tried())[0]?.lastError).toMatch(/did not accept the mail/), longWait);

    mail = await startMailReceiver(mail.port);
    await vi.waitFor(() => expect(mail.mails).toHaveLength(1), longWait);
    await evaluations(2);
    expect(mail.mails).toHaveLength(1);
    expect(hook.received('/alerts')).toHaveLength(1);
    expect(await tried()).toMatchObject([{ state: 'delivered', lastError: null }]);
  });

  it('stop sending a message after its last try, and send later ones', async () => {
    mail.reject(451, Number.POSITIVE_INFINITY);
    await holdRun('one');
    await monitor();
    const ofMail = () => database.select().from(alertMessageTable).where(eq(alertMessageTable.channel, 'mail'));
    await vi.waitFor(async () => expect(await ofMail()).toMatchObject([{ state: 'failed', tries: 6 }]), longWait);
    mail.reject(451, 0);
    await holdRun('two');
    await vi.waitFor(() => expect(mail.mails).toHaveLength(1), longWait);
    expect(mail.mails[0]?.text).toContain('two');
  });

  it('have their message sent by another process, with the same id, when a process dies during a try', async () => {
    await holdRun('one');
    const silent = await monitor({
      ...receivers(),
      ALERT_WEBHOOK_URL: '',
      ALERT_WEBHOOK_SECRET: '',
      SMTP_URL: 'smtp://127.0.0.1:1',
    });
    const ofMail = () => database.select().from(alertMessageTable);
    await vi.waitFor(async () => expect(await ofMail()).toHaveLength(1), longWait);
    await silent.stop();
    // The state after a process was killed during its try and its lease has expired.
    await database.update(alertMessageTable).set({ nextTryAt: new Date(0) });
    const claimed = await createAlertOutbox(database).claim('mail', 0);

    await monitor();
    await vi.waitFor(() => expect(mail.mails).toHaveLength(1), longWait);
    expect(mail.mails[0]?.headers['message-id']).toBe(`<${claimed?.id}@house.example>`);
  });

  it('are sent as soon as a receiver is configured', async () => {
    const withoutReceiver = await monitor({});
    const held = await holdRun('one');
    await vi.waitFor(
      async () => expect(await listOpenAlerts(database)).toMatchObject([{ subject: held, notifiedAt: null }]),
      longWait,
    );
    await withoutReceiver.stop();
    await monitor();
    await vi.waitFor(() => expect(mail.mails).toHaveLength(1), longWait);
  });

  it('are posted in Slack’s format, retried until Slack accepts them, and signed only with a secret', async () => {
    hook.answerWith('/slack', time => (time === 1 ? 429 : 200));
    const slack = { ALERT_WEBHOOK_URL: hook.url('/slack'), ALERT_WEBHOOK_FORMAT: 'slack' };
    await monitor(slack);
    const id = await holdRun('2 of 7 rows & <b> would be deleted.');
    await expect.poll(() => hook.received('/slack').length, longWait).toBe(2);
    const [first, second] = hook.received('/slack');
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-signature']).toBeUndefined();
    const message = JSON.stringify(JSON.parse(second?.body ?? ''));
    expect(message).toContain('2 of 7 rows &amp; &lt;b&gt; would be deleted.');
    expect(message).toContain(`<https://portal.example/v2/ops/jobs/${id}|Open the job>`);

    await Promise.all(monitors.splice(0).map(one => one.stop()));
    await monitor({ ...slack, ALERT_WEBHOOK_SECRET: secret });
    await endRun(id);
    await expect.poll(() => hook.received('/slack').length, longWait).toBe(3);
    const signed = hook.received('/slack')[2];
    expect(new Webhook(secret).verify(signed?.body ?? '', signed?.headers ?? {})).toMatchObject({
      text: expect.stringMatching(/^Resolved: /),
    });
  });

  it('are sent again after ALERT_REMIND_HOURS', async () => {
    await holdRun('one');
    await monitor();
    await vi.waitFor(() => expect(mail.mails).toHaveLength(1), longWait);
    await database.update(alertTable).set({ notifiedAt: new Date(Date.now() - 25 * 3_600_000) });
    await vi.waitFor(() => expect(mail.mails).toHaveLength(2), longWait);
    expect(mail.mails[1]?.subject).toBe('Still open: 1 alert');
    await evaluations(2);
    expect(mail.mails).toHaveLength(2);
  });
});
