/** Lists that are paged by continuation tokens. */
import { describe, expect, it } from 'vitest';
import { readList } from '../../../../../core/integrations/events/paging.ts';
import { UpstreamError } from '../../../../../core/integrations/kit/upstream-error.ts';

interface Page {
  ids: string[];
  /** The token of the next page; undefined on the last one. */
  next?: string;
  /** Rows that the platform counts. */
  counted?: number | null;
}

const invalidToken = new UpstreamError('upstream-failed', 'rejected', {
  kind: 'rejected',
  system: 'events',
  code: 'BAD_CONTINUATION_TOKEN',
});

/** @param answers the pages in the order in which they are read; the last one is repeated */
async function read(...answers: (Page | Error)[]) {
  const tokens: (string | undefined)[] = [];
  const list = await readList(async continuation => {
    const answer = answers[Math.min(tokens.length, answers.length - 1)];
    tokens.push(continuation);
    if (!answer || answer instanceof Error) throw answer;
    const { ids, next, counted } = answer;
    const pagination = { has_more_items: next !== undefined, continuation: next ?? 'unused', object_count: counted };
    return { items: ids.map(id => ({ id, row: { id } })), pagination };
  });
  return { items: list.items.map(({ id }) => id), missing: list.missing, tokens };
}

describe('a list', () => {
  it('is read page by page, until the platform has no more rows', async () => {
    const pages = [
      { ids: ['1', '2'], next: 'a', counted: 3 },
      { ids: ['3'], counted: 3 },
    ];
    expect(await read(...pages)).toEqual({ items: ['1', '2', '3'], missing: 0, tokens: [undefined, 'a'] });
  });

  it('contains a row once that is on two pages, as it was read last', async () => {
    const versions = [
      [{ id: '1', version: 'old' }],
      [
        { id: '1', version: 'new' },
        { id: '2', version: 'new' },
      ],
    ];
    const { items } = await readList(async continuation => ({
      items: (versions[continuation === undefined ? 0 : 1] ?? []).map(row => ({ id: row.id, row })),
      pagination: { has_more_items: continuation === undefined, continuation: 'a', object_count: 2 },
    }));
    expect(items).toEqual(versions[1]);
  });

  it('is complete after one read when the platform does not count', async () =>
    expect(await read({ ids: ['1'], counted: null })).toEqual({ items: ['1'], missing: 0, tokens: [undefined] }));

  it('may be empty', async () =>
    expect(await read({ ids: [], counted: 0 })).toEqual({ items: [], missing: 0, tokens: [undefined] }));

  it('ends where the platform names no token', async () => {
    const pagination = { has_more_items: true, object_count: 1 };
    expect(await readList(async () => ({ items: [{ id: '1', row: {} }], pagination }))).toMatchObject({ missing: 0 });
  });
});

describe('rows that are missing', () => {
  const firstRead = [
    { ids: ['1', '2'], next: 'a', counted: 4 },
    { ids: ['3'], counted: 4 },
  ];

  it('are taken from a second read', async () =>
    expect(await read(...firstRead, { ids: ['4'], counted: 4 })).toEqual({
      items: ['1', '2', '3', '4'],
      missing: 0,
      tokens: [undefined, 'a', undefined],
    }));

  it('are counted after the second read', async () =>
    expect(await read(...firstRead, { ids: ['1', '2'], counted: 5 })).toEqual({
      items: ['1', '2', '3'],
      missing: 2,
      tokens: [undefined, 'a', undefined],
    }));

  it('are none when there are more rows than were counted', async () =>
    expect(await read({ ids: ['1', '2'], counted: 1 })).toMatchObject({ missing: 0, tokens: [undefined] }));
});

describe('errors', () => {
  it('a page that has only rows of earlier pages is an error', async () => {
    const repeated = read({ ids: ['1', '2'], next: 'a' }, { ids: ['2', '1'], next: 'b' });
    await expect(repeated).rejects.toMatchObject({
      message: expect.stringContaining('the same page of a list twice'),
      failure: { kind: 'incomplete', system: 'events' },
    });
  });

  it('an empty page after others is none', async () =>
    expect(await read({ ids: ['1'], next: 'a' }, { ids: [] })).toMatchObject({ items: ['1'] }));

  it('a page with one new row is none', async () =>
    expect(await read({ ids: ['1'], next: 'a' }, { ids: ['1', '2'] })).toMatchObject({ items: ['1', '2'] }));

  it('an invalid token restarts the list; the rows are kept', async () => {
    const pages = [{ ids: ['1'], next: 'a' }, invalidToken, { ids: ['2'], counted: 2 }];
    expect(await read(...pages)).toEqual({ items: ['1', '2'], missing: 0, tokens: [undefined, 'a', undefined] });
  });

  it('three restarts are made, then the list fails', async () => {
    const last = { ids: ['1'], counted: 1 };
    expect(await read(invalidToken, invalidToken, invalidToken, last)).toMatchObject({ items: ['1'] });
    await expect(read(invalidToken, invalidToken, invalidToken, invalidToken, last)).rejects.toMatchObject({
      message: 'The events platform rejects its own continuation tokens.',
      failure: { kind: 'incomplete', system: 'events', code: 'BAD_CONTINUATION_TOKEN' },
    });
  });

  it.each([
    new UpstreamError('upstream-failed', 'failed', { kind: 'unreachable', system: 'events' }),
    Object.assign(new Error('other'), { failure: { code: 'BAD_CONTINUATION_TOKEN' } }),
  ])('other errors end the read: %s', error => expect(read(error, { ids: ['1'] })).rejects.toBe(error));
});
