/** Whether somebody is told when something goes wrong, and the mail server takes our login. */
import { createTransport } from 'nodemailer';
import { AlertConfig } from '../../alerts/config.ts';
import { type Finding, failure, ok, warning } from '../../runtime/finding.ts';
import { ServiceConfig } from '../../runtime/service-config.ts';
import { defineCheck } from '../check.ts';
import { codeOf } from '../run-checks.ts';

const timeoutMs = 5_000;

export default defineCheck({
  name: 'alerts',
  whenSilent: 'look whether SMTP_URL leads to the mail server, and whether a firewall drops the packets',
  async look({ read }) {
    const { ALERT_WEBHOOK_URL: webhook, ALERT_MAIL_TO: receivers, SMTP_URL: smtp } = read(AlertConfig);
    const isMailed = smtp !== undefined && receivers !== undefined && receivers.length > 0;
    const ways = [
      ...(webhook === undefined ? [] : [`posted to ${new URL(webhook).host}`]),
      ...(isMailed ? [`mailed (receivers: ${receivers.length})`] : []),
    ];
    const told =
      ways.length === 0
        ? untold(read(ServiceConfig.pick({ NODE_ENV: true })))
        : ok(`alerts are ${ways.join(' and ')}`);
    return [told, ...(smtp === undefined ? [] : [await mailServer(smtp)])];
  },
});

const untold = ({ NODE_ENV }: Pick<ServiceConfig, 'NODE_ENV'>): Finding =>
  NODE_ENV === 'production'
    ? warning(
        'nobody is told of alerts',
        'set ALERT_WEBHOOK_URL and ALERT_WEBHOOK_SECRET, or SMTP_URL, MAIL_FROM and ALERT_MAIL_TO',
      )
    : ok('nobody is told of alerts; they are shown at /ops');

/** Logs in and sends nothing. */
async function mailServer(url: string): Promise<Finding> {
  const { host } = new URL(url);
  const transport = createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  });
  try {
    await transport.verify();
    return ok(`the mail server at ${host} takes our login`);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EAUTH')
      return failure(`the mail server at ${host} refuses our login`, 'correct user and password in SMTP_URL');
    return failure(
      `the mail server at ${host} cannot be used (${code || 'unknown'})`,
      'correct SMTP_URL, or start it',
    );
  } finally {
    transport.close();
  }
}
