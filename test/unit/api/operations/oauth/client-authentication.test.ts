import { describe, expect, it } from 'vitest';
import { basicCredentials } from '../../../../../api/operations/oauth/client-authentication.ts';

const header = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('basicCredentials', () => {
  it.each([
    ['id:secret', { id: 'id', secret: 'secret' }],
    ['id:a:b', { id: 'id', secret: 'a:b' }],
    ['a%3Ab:c%25d', { id: 'a:b', secret: 'c%d' }, { id: 'a%3Ab', secret: 'c%25d' }],
    ['a+b:c%2Bd', { id: 'a b', secret: 'c+d' }, { id: 'a+b', secret: 'c%2Bd' }],
    ['id:c+d', { id: 'id', secret: 'c d' }, { id: 'id', secret: 'c+d' }],
    ['id:100%', { id: 'id', secret: '100%' }],
    ['id:', { id: 'id', secret: '' }],
  ])('parses %s as %o, and as sent if that differs', (text, ...credentials) =>
    expect(basicCredentials(header(text))).toEqual(credentials),
  );

  it('accepts the scheme in any case', () =>
    expect(basicCredentials(header('id:secret').replace('Basic', 'bAsIc'))).toEqual([{ id: 'id', secret: 'secret' }]));

  it.each(['', 'Basic', 'Basic ', 'Bearer abc', header('no colon'), 'Basic a:b', `x${header('id:secret')}`])(
    'rejects %s',
    text => expect(basicCredentials(text)).toEqual([]),
  );
});
