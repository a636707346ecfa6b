/** Notifications: a receiver is configured, and the mail server accepts our login. */
import { createTransport } from 'nodemailer';
import { mailTimeouts } from '../../mail/mailer.ts';
import { NotifyConfig } from '../../notifications/config.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { type CheckFinding, failure, ok, warning } from '../../runtime/finding.ts';
import { defineCheck } from '../check.ts';

const timeoutMs = 5_000;

export default defineCheck({
  name: 'notifications',
  onTimeout: 'check that SMTP_URL is the address of the mail server, and that no firewall drops the packets',
  async run({ read }) {
    const { NOTIFY_WEBHOOK_URL: webhook, NOTIFY_MAIL_TO: receivers, SMTP_URL: smtp } = read(NotifyConfig);
    const isMailed = smtp !== undefined && receivers !== undefined && receivers.length > 0;
    const channels = [
      ...(webhook === undefined ? [] : [`posted to ${new URL(webhook).host}`]),
      ...(isMailed ? [`mailed (receivers: ${receivers.length})`] : []),
    ];
    const delivery =
      channels.length === 0
        ? warning(
            'held runs and failed jobs are only shown at /ops and in the metrics',
            'set NOTIFY_WEBHOOK_URL, or SMTP_URL, MAIL_FROM and NOTIFY_MAIL_TO, unless Prometheus watches the service',
          )
        : ok(`held runs and failed jobs are ${channels.join(' and ')}`);
    return [delivery, ...(smtp === undefined ? [] : [await mailServer(smtp)])];
  },
});

/** Logs in; sends nothing. */
async function mailServer(url: string): Promise<CheckFinding> {
  const { host } = new URL(url);
  const transport = createTransport({ url, ...mailTimeouts(timeoutMs) });
  try {
    await transport.verify();
    return ok(`the mail server at ${host} accepts our login`);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EAUTH')
      return failure(`the mail server at ${host} rejects our login`, 'correct user and password in SMTP_URL');
    return failure(`the mail server at ${host} cannot be used (${code || 'unknown'})`, 'correct SMTP_URL, or start it');
  } finally {
    transport.close();
  }
}
