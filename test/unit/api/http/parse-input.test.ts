import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OauthError } from '../../../../api/http/oauth-error.ts';
import { defineOperation } from '../../../../api/http/operation.ts';
import { parseInput, toPointer } from '../../../../api/http/parse-input.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';

const operation = defineOperation({
  summary: 'An operation of this test.',
  id: 'test.parse',
  route: 'POST /test/{id}',
  scope: null,
  request: {
    params: z.object({ id: z.string().max(3, 'is too long') }),
    query: z.object({ limit: z.string().regex(/^\d+$/, 'must be a number').transform(Number) }),
    body: z.object({ fields: z.record(z.string(), z.number({ error: 'must be a number' })) }),
  },
  answers: { 200: { description: 'Nothing.' } },
  handle: async () => ({ status: 200 }),
});

const nested = (levels: number): unknown => JSON.parse(`${'{"fields":'.repeat(levels)}1${'}'.repeat(levels)}`);

async function errorOf(parsing: Promise<unknown>): Promise<unknown> {
  return parsing.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('parseInput', () => {
  it('returns path, query and body as their schemas parse them', async () => {
    const request = { params: { id: 'a' }, query: { limit: '7' }, body: { fields: { x: 1 } } };
    expect(await parseInput(operation, request)).toEqual({
      params: { id: 'a' },
      query: { limit: 7 },
      body: { fields: { x: 1 } },
    });
  });

  it('reports the faults of path, query and body together; faults outside the body have `in`', async () => {
    const request = { params: { id: 'long' }, query: { limit: 'x' }, body: { fields: { a: 'x', b: null } } };
    const error = await errorOf(parseInput(operation, request));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      code: 'invalid-input',
      message: 'The input has 4 faults.',
      faults: [
        { pointer: '/id', detail: 'is too long', in: 'path' },
        { pointer: '/limit', detail: 'must be a number', in: 'query' },
        { pointer: '/fields/a', detail: 'must be a number' },
        { pointer: '/fields/b', detail: 'must be a number' },
      ],
    });
  });

  it('escapes keys in pointers (RFC 6901 section 3)', async () => {
    const request = { params: { id: 'a' }, query: { limit: '1' }, body: { fields: { 'a/b~c': 'x' } } };
    expect(await errorOf(parseInput(operation, request))).toMatchObject({
      message: 'The input has one fault.',
      faults: [{ pointer: '/fields/a~1b~0c' }],
    });
  });

  it('rejects NUL in path and query, which PostgreSQL cannot store', async () => {
    const request = { params: { id: '\0' }, query: { limit: 'a\0b' }, body: { fields: {} } };
    expect(await errorOf(parseInput(operation, request))).toMatchObject({
      faults: [
        { pointer: '/id', detail: 'must not have a NUL character', in: 'path' },
        { pointer: '/limit', detail: 'must not have a NUL character', in: 'query' },
        { pointer: '/limit', detail: 'must be a number', in: 'query' },
      ],
    });
  });

  it.each([
    ['NUL', { fields: { x: 'a\0' } }, '/fields/x', 'must not have a NUL character'],
    ['a lone surrogate', { fields: { x: 'a\ud800' } }, '/fields/x', 'must not have a lone surrogate'],
    [
      'a member name with a lone surrogate',
      { fields: { '\udfff': 1 } },
      '/fields/\udfff',
      'must not have a lone surrogate',
    ],
    ['65 levels', nested(65), '', 'must be nested at most 64 levels deep'],
    ['50,000 levels', nested(50_000), '', 'must be nested at most 64 levels deep'],
  ])('rejects %s in the body', async (_, body, pointer, detail) => {
    const request = { params: { id: 'a' }, query: { limit: '1' }, body };
    expect(await errorOf(parseInput(operation, request))).toMatchObject({
      code: 'invalid-input',
      faults: expect.arrayContaining([{ pointer, detail }]),
    });
  });

  it('rejects a query that is not percent-encoded UTF-8', async () => {
    const request = {
      params: { id: 'a' },
      query: { limit: '1' },
      body: { fields: {} },
      url: '/test/a?limit=%ED%A0%80',
    };
    expect(await errorOf(parseInput(operation, request))).toMatchObject({
      faults: [{ pointer: '/limit', detail: 'must be percent-encoded UTF-8', in: 'query' }],
    });
  });

  it('reports an ignored member whose closest known name is missing', async () => {
    const Listing = z.object({ title_en: z.string({ error: 'must not be empty' }), size: z.string().default('') });
    const body = z.object({ list: z.array(Listing.meta({ additionalProperties: true })) });
    const { id, summary, route, scope, answers } = operation;
    const open = defineOperation({
      id,
      summary,
      route,
      scope,
      answers,
      request: { body },
      async handle() {
        return { status: 200 };
      },
    });
    const parse = (list: object[]) => parseInput(open, { params: {}, query: {}, body: { list } });
    expect(await errorOf(parse([{ titel_en: 'Villa', sise: '1', remark: '' }]))).toMatchObject({
      faults: [
        { pointer: '/list/0/title_en', detail: 'must not be empty' },
        { pointer: '/list/0/titel_en', detail: 'is unknown; did you mean title_en?' },
      ],
    });
    expect(await parse([{ title_en: 'Villa', titel_en: 'Villa' }])).toMatchObject({ body: { list: [{ size: '' }] } });
  });

  it('rejects unknown members and parameters with the closest known name', async () => {
    const request = {
      params: { id: 'a' },
      query: { limit: '1', limti: '2' },
      body: { fields: {}, feilds: {}, other: 1 },
    };
    expect(await errorOf(parseInput(operation, request))).toMatchObject({
      faults: [
        { pointer: '/limti', detail: 'is unknown; did you mean limit?', in: 'query' },
        { pointer: '/feilds', detail: 'is unknown; did you mean fields?' },
        { pointer: '/other', detail: 'is unknown; known are fields' },
      ],
    });
  });

  it('rejects members and parameters of an operation without body and query', async () => {
    const bare = { ...operation, request: {} };
    expect(await parseInput(bare, { params: {}, query: {}, body: undefined })).toBeDefined();
    expect(await errorOf(parseInput(bare, { params: {}, query: { x: '1' }, body: { dryRun: true } }))).toMatchObject({
      faults: [
        { pointer: '/x', detail: 'is unknown; nothing is accepted here', in: 'query' },
        { pointer: '/dryRun', detail: 'is unknown; nothing is accepted here' },
      ],
    });
  });

  it('points at the root of the body when it is missing', async () => {
    const request = { params: { id: 'a' }, query: { limit: '1' }, body: undefined };
    expect(await errorOf(parseInput(operation, request))).toMatchObject({ faults: [{ pointer: '' }] });
  });

  it('counts all faults and lists the first 500', async () => {
    const fields = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`f${index}`, 'x']));
    const request = { params: { id: 'a' }, query: { limit: '1' }, body: { fields } };
    const error = await errorOf(parseInput(operation, request));
    expect(error).toMatchObject({ message: 'The input has 900 faults.' });
    expect(error).toHaveProperty('faults.length', 500);
  });

  it('throws invalid_request for an OAuth operation (RFC 6749 section 5.2)', async () => {
    const oauth = { ...operation, style: 'oauth' as const };
    const request = { params: { id: 'a' }, query: { limit: '1' }, body: { fields: { a: 'x' } } };
    const error = await errorOf(parseInput(oauth, request));
    expect(error).toBeInstanceOf(OauthError);
    expect(error).toMatchObject({ code: 'invalid_request', status: 400 });
  });
});

describe('toPointer', () => {
  it.each([
    [[], ''],
    [['list', 0, 'agent', 'phone'], '/list/0/agent/phone'],
    [['~/'], '/~0~1'],
    [['~1'], '/~01'],
    [[''], '/'],
  ])('converts %j to %j', (path, pointer) => expect(toPointer(path)).toBe(pointer));
});
