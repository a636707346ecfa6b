import { expect, it } from 'vitest';
import { proxyAddresses } from '../../../api/config.ts';

it.each([
  ['10.0.0.1', ['10.0.0.1']],
  ['10.0.0.0/8, ::1 ,fd00::/8', ['10.0.0.0/8', '::1', 'fd00::/8']],
])('accepts the proxies %s', (text, list) => expect(proxyAddresses.parse(text)).toEqual(list));

it.each(['true', '*', 'proxy.example', '10.0.0.0/33', '10.0.0.1,,'])('rejects %s', text =>
  expect(proxyAddresses.safeParse(text).success).toBe(false),
);
