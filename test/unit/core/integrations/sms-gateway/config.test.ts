/** Settings of the SMS gateway. */
import { describe, expect, it } from 'vitest';
import { SmsGatewayConfig } from '../../../../../core/integrations/sms-gateway/system.ts';
import { readConfig } from '../../../../../core/runtime/config.ts';

it('all settings have defaults, with which nothing is configured', () =>
  expect(readConfig(SmsGatewayConfig, {})).toEqual({
    SMS_USERNAME: '',
    SMS_PASSWORD: '',
    SMS_SENDER: 'PORTAL',
    SMS_MARKETING_HOURS: '09:00-18:00',
    SMS_MAX_PARTS: 10,
    SMS_PARTS_PER_CLIENT_DAY: 1_000,
    SMS_SERVICE_SKIPS_REGISTRY: false,
    SMS_OPTOUT_REQUIRED: true,
  }));

describe('the sender', () => {
  it.each(['A', 'My 8 Hs1', 'ABCDEFGH'])('may be %j', SMS_SENDER =>
    expect(readConfig(SmsGatewayConfig, { SMS_SENDER })).toMatchObject({ SMS_SENDER }),
  );

  it.each([
    ['ABCDEFGHI', 'must have at most 8 characters'],
    ['-Homes', 'must have letters, digits and spaces only'],
    ['Homes-', 'must have letters, digits and spaces only'],
  ])('may not be %j', (SMS_SENDER, fault) =>
    expect(() => readConfig(SmsGatewayConfig, { SMS_SENDER })).toThrow(`SMS_SENDER ${fault}.`),
  );
});

it.each(['09:00-18:00', '10:30-17:45'])('the hours of marketing messages may be %j', SMS_MARKETING_HOURS =>
  expect(readConfig(SmsGatewayConfig, { SMS_MARKETING_HOURS })).toMatchObject({ SMS_MARKETING_HOURS }),
);

it.each(['00:00-24:00', '08:59-18:00', '09:00-18:01'])(
  'the hours of marketing messages may not be %j, which the law does not permit',
  SMS_MARKETING_HOURS =>
    expect(() => readConfig(SmsGatewayConfig, { SMS_MARKETING_HOURS })).toThrow('must lie within 09:00-18:00'),
);

it.each(['9-18', '18:00-09:00', 'always'])('the hours of marketing messages may not be %j', SMS_MARKETING_HOURS =>
  expect(() => readConfig(SmsGatewayConfig, { SMS_MARKETING_HOURS })).toThrow('must be two times of a day'),
);
