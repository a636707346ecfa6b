/** Notifications as mails: subject and facts in both parts, escaped; and their settings. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { discoverContracts } from '../../../../core/jobs/discover.ts';
import { openMailTemplate } from '../../../../core/mail/template.ts';
import { NotifyConfig } from '../../../../core/notifications/config.ts';
import { mailView, NotificationMessage } from '../../../../core/notifications/notification.ts';
import { readConfig } from '../../../../core/runtime/config.ts';

const sample = NotificationMessage.parse(
  JSON.parse(await readFile(new URL('../../../../templates/mail/notification/sample.json', import.meta.url), 'utf8')),
);
const rendered = async (data: Partial<NotificationMessage['data']> = {}) => {
  const view = mailView({ ...sample, data: { ...sample.data, ...data } });
  return { subject: view.subject, ...(await (await openMailTemplate('notification')).render(view)) };
};

describe('the mail', () => {
  it('has what happened, why, how often and the page in both parts', async () => {
    const { subject, html, text } = await rendered();
    expect(subject).toBe('A leads job failed for good (12 times)');
    for (const part of [html, text]) {
      expect(part).toContain(sample.data.title);
      expect(part).toContain(sample.data.detail);
      expect(part).toContain('12 times since 2026-01-31 07:10 (Dubai); this is the last one.');
      expect(part).toContain(sample.data.url);
    }
  });

  it('has no number and no reason where there is none', async () => {
    const { subject, html, text } = await rendered({ count: 1, detail: '' });
    expect(subject).toBe('A leads job failed for good');
    for (const part of [html, text]) expect(part).not.toMatch(/times|undefined/);
    expect(text).toMatch(/^A leads job failed for good\n\nOpen the operations page: /);
  });

  it('has bars of the rows before and after the release of a held run', async () => {
    const places = [{ place: 'the local copy', created: 0, updated: 10, deleted: 1_500, rows: 3_000 }];
    const { html, text } = await rendered({ places });
    expect(text).toContain('The local copy: 3,000 rows before, 1,500 after: 1,500 disappear, 10 changed');
    expect(html).toContain(': 3,000 rows before, 1,500 after: 1,500 disappear, 10 changed');
    expect(html).toContain('<td width="50%" bgcolor="#A3241C">');
  });

  it('escapes markup and templates in its data, and loads nothing from other hosts', async () => {
    const detail = '<img src=x onerror=alert(1)> </mj-text><mj-raw>{{brand.name}}</mj-raw>';
    const { html, text } = await rendered({ detail });
    expect(html).toContain('&lt;img src&#x3D;x onerror&#x3D;alert(1)&gt; &lt;/mj-text&gt;&lt;mj-raw&gt;{{brand.name}}');
    expect(html).not.toContain('<img');
    expect(text).toContain(detail);
    expect(html.match(/(?:src|href)="(?!https:\/\/portal\.example)[^"]*"|url\(|@import/g)).toBeNull();
  });
});

describe('the settings', () => {
  it.each([
    [{ NOTIFY_MAIL_TO: 'ops@house.example' }, /^SMTP_URL must be set, because NOTIFY_MAIL_TO is\.$/],
    [{ SMTP_URL: 'smtp://mail.example' }, /^MAIL_FROM must be set, because SMTP_URL is\.$/],
    [{ NOTIFY_MAIL_TO: 'nobody' }, /^NOTIFY_MAIL_TO must be comma-separated e-mail addresses\./],
    [{ NOTIFY_WEBHOOK_SECRET: `whsec_${'a'.repeat(32)}` }, /^NOTIFY_WEBHOOK_URL must be set/],
    [{ NOTIFY_WEBHOOK_URL: 'https://hook.example', NOTIFY_WEBHOOK_SECRET: 'short' }, /^NOTIFY_WEBHOOK_SECRET must be/],
  ])('%j are rejected', (env, sentence) => expect(() => readConfig(NotifyConfig, env)).toThrow(sentence));

  it('are optional, and the webhook needs no secret', () => {
    expect(readConfig(NotifyConfig, {})).toEqual({});
    const env = { NOTIFY_WEBHOOK_URL: 'https://hook.example/ops' };
    expect(readConfig(NotifyConfig, env)).toEqual(env);
  });
});

it('reports failed jobs of the kinds that change outside systems, also of a client', async () => {
  const contracts = [...(await discoverContracts()).values()];
  expect(contracts.filter(({ hasEffects }) => hasEffects).map(({ kind }) => kind)).toEqual([
    'activity',
    'employee-resync',
    'event-orders',
    'leads',
    'location-sync',
    'pdf-mail',
    'portal-leads',
    'terminations',
  ]);
});
