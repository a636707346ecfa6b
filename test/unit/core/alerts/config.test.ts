/** Inconsistent settings are rejected at the start. */
import { describe, expect, it } from 'vitest';
import { AlertConfig } from '../../../../core/alerts/config.ts';
import { readConfig } from '../../../../core/runtime/config.ts';

describe('the settings of alerts', () => {
  it.each([
    [{ ALERT_MAIL_TO: 'ops@house.example' }, /^SMTP_URL must be set, because ALERT_MAIL_TO is\.$/],
    [{ SMTP_URL: 'smtp://mail' }, /^MAIL_FROM must be set, because SMTP_URL is\.$/],
    [{ ALERT_WEBHOOK_URL: 'https://hook.example' }, /^ALERT_WEBHOOK_SECRET must be set/],
    [{ ALERT_WEBHOOK_FORMAT: 'teams' }, /^ALERT_WEBHOOK_FORMAT must be standard or slack\.$/],
    [{ ALERT_WAITING_SECONDS: 'pdf=5' }, /^ALERT_WAITING_SECONDS must be a number of seconds/],
    [{ ALERT_MAIL_TO: 'nobody' }, /^ALERT_MAIL_TO must be comma-separated e-mail addresses\./],
  ])('reject %j with a message', (env, sentence) => {
    expect(() => readConfig(AlertConfig, env)).toThrow(sentence);
  });

  it('need no secret in the format of Slack, which does not verify signatures', () => {
    const env = { ALERT_WEBHOOK_URL: 'https://hooks.example/T0/B0/x', ALERT_WEBHOOK_FORMAT: 'slack' };
    expect(readConfig(AlertConfig, env)).toMatchObject(env);
  });
});
