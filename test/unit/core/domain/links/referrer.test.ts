import { expect, it } from 'vitest';
import { referrerHost } from '../../../../../core/domain/links/request-headers.ts';

it.each([
  ['https://www.instagram.com/p/secret?user=1', 'instagram.com'],
  ['http://t.co/x', 't.co'],
  ['https://user:secret@mail.example:8443/inbox?q=a', 'mail.example'],
  ['android-app://com.google.android.gm/', 'mail.google.com'],
  ['android-app://org.telegram.messenger/', 'org.telegram.messenger'],
  ['', null],
  [undefined, null],
  ['about:blank', null],
  ['javascript:alert(1)', null],
  ['https://<script>alert(1)</script>/', null],
  ['nonsense', null],
])('of the referrer %j only %j is kept', (header, host) => {
  expect(referrerHost(header)).toBe(host);
});
