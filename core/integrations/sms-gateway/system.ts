/** The gateway that sends SMS. */
import { defineSystem } from '../kit/define-system.ts';
import { openSmsGateway } from './client.ts';
import { SmsGatewayConfig } from './config.ts';

export default defineSystem({
  name: 'sms-gateway',
  title: 'The SMS gateway',
  config: SmsGatewayConfig,
  configuredBy: 'SMS_URL',
  sandboxName: 'telephony',
  sandbox: base => ({ SMS_URL: base, SMS_USERNAME: 'sandbox', SMS_PASSWORD: 'sandbox' }),
  open: openSmsGateway,
  probe: gateway => gateway.balance(),
});
