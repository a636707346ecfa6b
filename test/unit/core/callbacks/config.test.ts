import { expect, it } from 'vitest';
import { CallbackConfig } from '../../../../core/callbacks/config.ts';
import { readConfig } from '../../../../core/runtime/config.ts';

const read = (text?: string) =>
  readConfig(CallbackConfig, text === undefined ? {} : { CALLBACK_RETRY_SECONDS: text }).CALLBACK_RETRY_SECONDS;

it.each([
  ['5', [5]],
  ['300,5', [300, 5]],
  ['5,300,1800', [5, 300, 1800]],
  ['0,9999999', [0, 9_999_999]],
])('the waits between tries may be %s', (text, seconds) => expect(read(text)).toEqual(seconds));

it.each(['5,', ',5', '5;6', '5, 6', '-5', '1.5', '5s', '10000000', 'x5'])('the waits must not be "%s"', text =>
  expect(() => read(text)).toThrow('CALLBACK_RETRY_SECONDS must be whole numbers of seconds, separated by commas'),
);

it('by default, ten tries are made within 76 hours', () => {
  const waits = read();
  expect(waits).toHaveLength(9);
  expect(waits.reduce((sum, seconds) => sum + seconds, 0) / 3_600).toBeCloseTo(75.6, 1);
});
