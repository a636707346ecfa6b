import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeCursor, encodeCursor, ListQuery, nextLink } from '../../../../api/http/paging.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';

const Position = z.object({ createdAt: z.iso.datetime(), id: z.string() });
const position = { createdAt: '2026-01-31T08:00:00.123Z', id: 'pdf_é/🏡' };

describe('limit', () => {
  it.each([
    [undefined, 50],
    ['1', 1],
    ['200', 200],
    ['050', 50],
  ])('parses %j as %j', (limit, expected) => expect(ListQuery.parse({ limit }).limit).toBe(expected));

  it.each(['0', '201', '-1', '1.5', 'ten', '', '1e2', ' 5', '99999'])('rejects %j', limit => {
    const { error } = ListQuery.safeParse({ limit });
    expect(error?.issues[0]).toMatchObject({ path: ['limit'], message: 'must be a whole number from 1 to 200' });
  });
});

describe('cursor', () => {
  it('decodes to the encoded position and needs no escaping in a URL', () => {
    const cursor = encodeCursor(position);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(decodeCursor(cursor, Position)).toEqual(position);
  });

  it.each(['', 'x', '!!!', encodeCursor({ id: 'no time' }), Buffer.from('[1').toString('base64url')])(
    'rejects the invalid cursor %j with a fault at /cursor',
    cursor => {
      const decode = () => decodeCursor(cursor, Position);
      expect(decode).toThrow(ServiceError);
      expect(decode).toThrow(
        expect.objectContaining({ code: 'invalid-input', faults: [expect.objectContaining({ pointer: '/cursor' })] }),
      );
    },
  );
});

describe('nextLink (RFC 8288)', () => {
  it('keeps path and filters and replaces the cursor', () =>
    expect(nextLink({ originalUrl: '/jobs?state=failed&cursor=old&limit=2' }, 'new')).toEqual({
      link: '</jobs?state=failed&cursor=new&limit=2>; rel="next"',
    }));

  it('works without a query', () =>
    expect(nextLink({ originalUrl: '/v2/jobs' }, 'new')).toEqual({ link: '</v2/jobs?cursor=new>; rel="next"' }));

  it('is empty on the last page', () => expect(nextLink({ originalUrl: '/v2/jobs' }, null)).toEqual({}));
});
