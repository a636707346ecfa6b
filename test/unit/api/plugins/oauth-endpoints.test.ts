import { expect, it } from 'vitest';
import { OauthError } from '../../../../api/http/oauth-error.ts';
import { parseOauthForm } from '../../../../api/plugins/oauth-endpoints.ts';

it.each([
  ['', {}],
  ['a=1&b=2', { a: '1', b: '2' }],
  ['scope=pdf+leads&secret=a%2Bb%3D%26', { scope: 'pdf leads', secret: 'a+b=&' }],
  ['a=&b', {}],
  ['a=%zz&b=%E2%82%AC', { a: '%zz', b: '€' }],
  ['__proto__=x&constructor=y', JSON.parse('{"__proto__":"x","constructor":"y"}')],
])('parses the form %s as RFC 6749 section 3.2 requires', (body, form) => expect(parseOauthForm(body)).toEqual(form));

it.each(['a=1&a=1', 'a=1&b=2&a=3', 'a=&a=1', 'a&a'])('rejects the repeated parameter in the form %s', body => {
  expect(() => parseOauthForm(body)).toThrow(OauthError);
  expect(() => parseOauthForm(body)).toThrow('a is given more than once.');
});
