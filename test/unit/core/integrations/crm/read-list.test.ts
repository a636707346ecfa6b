/** Reads a long list with few requests, and fails for an incomplete one. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CrmList, type ListCursor, readList } from '../../../../../core/integrations/crm/read-list.ts';
import type { Command, CommandOutcome, CrmRest } from '../../../../../core/integrations/crm/rest.ts';
import { Id } from '../../../../../core/integrations/crm/wire/scalars.ts';
import { UpstreamError } from '../../../../../core/integrations/kit/upstream-error.ts';

const list: CrmList<z.ZodType<number>> = {
  title: 'deals',
  record: 'deal',
  parameters: { entityTypeId: 2 },
  filter: { categoryId: 1 },
  select: ['id'],
  row: z.object({ id: Id, bad: z.undefined().optional() }).transform(({ id }) => id),
};

type Page = (commands: readonly Command[], request: number) => CommandOutcome[];

/** A CRM with rows of these ids; `change` changes its answers. */
function crmWith(
  ids: readonly number[],
  change: (page: CommandOutcome[], request: number) => CommandOutcome[] = p => p,
) {
  const requests: number[] = [];
  const answer: Page = commands => {
    let after = 0;
    return commands.map(({ parameters }, index) => {
      const filter = z.object({ filter: z.looseObject({ '>id': z.unknown() }) }).parse(parameters).filter;
      if (index === 0) after = Number(filter['>id']);
      const rows = ids.filter(id => id > after).slice(0, 50);
      after = rows[49] ?? 0;
      return {
        result: { items: rows.map(id => ({ id })) },
        total: parameters.start === 0 ? ids.filter(id => id > Number(filter['>id'])).length : undefined,
      };
    });
  };
  const rest: CrmRest = {
    call: () => Promise.reject(new Error('not in a batch')),
    async batch(_, commands) {
      requests.push(commands.length);
      return change(answer(commands, requests.length), requests.length);
    },
  };
  return { rest, requests };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index * 3 + 1);

async function readAll(rest: CrmRest, options: { from?: ListCursor; expected?: number } = {}) {
  const rows: number[] = [];
  const unreadable: number[] = [];
  for await (const chunk of readList(rest, list, options)) {
    rows.push(...chunk.rows);
    unreadable.push(...chunk.unreadable.map(({ id }) => id));
  }
  return { rows, unreadable };
}

describe('readList', () => {
  it.each([
    [0, [50]],
    [49, [50]],
    [2_500, [50]],
    [3_000, [50, 10]],
    [12_001, [50, 50, 50, 50, 41]],
  ])('reads %i rows in batches of %j pages', async (count, requests) => {
    const crm = crmWith(upTo(count));
    expect((await readAll(crm.rest)).rows).toEqual(upTo(count));
    expect(crm.requests).toEqual(requests);
  });

  it('marks the commands as referring back, and orders, filters and counts only the first page', async () => {
    const sent: Command[][] = [];
    const rest: CrmRest = {
      call: () => Promise.reject(new Error('not in a batch')),
      async batch(callClass, commands) {
        expect(callClass).toBe('read');
        sent.push([...commands]);
        return [{ result: { items: [{ id: 7 }] }, total: 2 }];
      },
    };
    await readList(rest, { ...list, parameters: { entityTypeId: 4 } }, { expected: 60 }).next();
    const common = { method: 'crm.item.list', refersBack: true };
    const parameters = { entityTypeId: 4, select: ['id'], order: { id: 'ASC' } };
    expect(sent).toEqual([
      [
        { ...common, key: 'page0', parameters: { ...parameters, filter: { categoryId: 1, '>id': 0 }, start: 0 } },
        {
          ...common,
          key: 'page1',
          parameters: { ...parameters, filter: { categoryId: 1, '>id': '$result[page0][items][49][id]' }, start: -1 },
        },
      ],
    ]);
  });

  it('fails with the failure of the first page, and keeps the pages before a later one', async () => {
    const failure = new UpstreamError('upstream-unavailable', 'The CRM is overloaded.', {
      kind: 'limit',
      system: 'crm',
    });
    const first = crmWith(upTo(3), pages => pages.map(() => ({ failure })));
    await expect(readAll(first.rest)).rejects.toBe(failure);
    const later = crmWith(upTo(3_000), (pages, request) => (request === 2 ? pages.map(() => ({ failure })) : pages));
    await expect(readAll(later.rest)).rejects.toBe(failure);
    const third = crmWith(upTo(300), (pages, request) =>
      request > 1 ? pages : pages.map((page, index) => (index >= 2 ? { failure } : page)),
    );
    expect((await readAll(third.rest)).rows).toEqual(upTo(300));
    expect(third.requests).toEqual([50, 4]);
  });

  it('fails when the CRM does not count the rows', async () => {
    const uncounted = crmWith(upTo(3), pages => pages.map(page => ({ ...page, total: undefined })));
    await expect(readAll(uncounted.rest)).rejects.toMatchObject({ failure: { message: 'no total' } });
    const empty = crmWith(upTo(3), () => []);
    await expect(readAll(empty.rest)).rejects.toMatchObject({ failure: { message: 'no total' } });
  });

  it('names the fields of an unreadable row, without their values', async () => {
    const crm = crmWith([1], ([page = { result: { items: [] }, total: 0 }]) => [
      'result' in page ? { ...page, result: { items: [{ id: 1, bad: 'Jane Doe' }] } } : page,
    ]);
    const chunk = await readList(crm.rest, list, {}).next();
    expect(chunk.value).toMatchObject({ unreadable: [{ id: 1, reason: 'bad: expected undefined, received string' }] });
  });

  it('requests the expected number of pages, and the rest when there are more', async () => {
    const crm = crmWith(upTo(160));
    expect((await readAll(crm.rest, { expected: 10 })).rows).toEqual(upTo(160));
    expect(crm.requests).toEqual([1, 3]);
  });

  it('continues where an earlier read stopped', async () => {
    const crm = crmWith(upTo(3_000));
    const from = { after: upTo(2_500).at(-1) ?? 0, read: 2_500, total: 3_000 };
    expect((await readAll(crm.rest, { from })).rows).toEqual(upTo(3_000).slice(2_500));
    expect(crm.requests).toEqual([10]);
  });

  it('requests the pages after a short or failed one again', async () => {
    const short = crmWith(upTo(300), (pages, request) =>
      request > 1 ? pages : pages.map((page, index) => (index === 1 ? cut(page, 20) : page)),
    );
    expect((await readAll(short.rest)).rows).toEqual(upTo(300));
    const failed = crmWith(upTo(3_000), (pages, request) =>
      request > 1
        ? pages
        : pages.map((page, index) => (index === 6 ? { error: { code: 'INTERNAL_SERVER_ERROR', message: '' } } : page)),
    );
    expect((await readAll(failed.rest)).rows).toEqual(upTo(3_000));
    expect(failed.requests).toEqual([50, 50, 4]);
  });

  it('fails when rows are repeated', async () => {
    const crm = crmWith(upTo(300), pages => pages.map(() => pages[0] ?? { result: { items: [] }, total: 0 }));
    await expect(readAll(crm.rest)).rejects.toMatchObject({
      message: 'The CRM returned a page of deals twice or out of order.',
      failure: { code: 'incomplete' },
    });
  });

  it('fails when fewer rows arrive than the CRM counted', async () => {
    const crm = crmWith(upTo(300), pages => pages.map((page, index) => (index === 0 ? withTotal(page, 500) : page)));
    await expect(readAll(crm.rest)).rejects.toMatchObject({
      message: 'The CRM counted 500 deals and returned 300.',
      failure: { code: 'incomplete', kind: 'incomplete' },
    });
  });

  it('fails for good when the CRM rejects the read or returns no list', async () => {
    const failing = crmWith(upTo(3), pages => pages.map(() => ({ error: { code: '', message: 'Access denied.' } })));
    await expect(readAll(failing.rest)).rejects.toMatchObject({
      message: 'The CRM rejected the read of deals: Access denied.',
      failure: { kind: 'rejected', message: 'Access denied.' },
    });
    const malformed = crmWith(upTo(3), pages => pages.map(() => ({ result: 'nothing', total: 3 })));
    await expect(readAll(malformed.rest)).rejects.toThrow('in an unexpected form');
  });

  it('returns the id of an unreadable row, and reads the others', async () => {
    const crm = crmWith(upTo(3), pages =>
      pages.map((page, index) =>
        index === 0 ? { result: { items: [{ id: 1 }, { id: 4, bad: 'Jane Doe' }, { id: 7 }] }, total: 3 } : page,
      ),
    );
    expect(await readAll(crm.rest)).toEqual({ rows: [1, 7], unreadable: [4] });
  });
});

describe('pages', () => {
  /** A CRM that returns these pages, each in a request of its own, and counts `total` rows. */
  function crmOfPages(total: number, ...pages: unknown[]) {
    const sent: Command[] = [];
    const rest: CrmRest = {
      call: () => Promise.reject(new Error('not in a batch')),
      async batch(_, commands) {
        sent.push(...commands);
        return [{ result: { items: pages.shift() }, total }];
      },
    };
    return { rest, sent };
  }
  const rowsFrom = (first: number, count = 50) => Array.from({ length: count }, (_, index) => ({ id: first + index }));
  const unordered = {
    message: 'The CRM returned a page of deals twice or out of order.',
    failure: { kind: 'incomplete', system: 'crm', code: 'incomplete' },
  };

  it.each([
    ['a row twice', [{ id: 7 }, { id: 7 }]],
    ['a smaller id after a larger one', [{ id: 8 }, { id: 7 }]],
    ['an id that is not larger than the cursor', [{ id: 5 }]],
  ])('may not have %s', async (_, page) => {
    const { rest } = crmOfPages(3, page);
    await expect(readAll(rest, { from: { after: 5, read: 0, total: undefined } })).rejects.toMatchObject(unordered);
  });

  it.each([50, 49, 2])('may not begin with an id that an earlier page of the batch has passed: %i', async id => {
    const crm = crmWith(upTo(3), () => [
      { result: { items: rowsFrom(1) }, total: 100 },
      { result: { items: [{ id }] }, total: undefined },
    ]);
    await expect(readAll(crm.rest)).rejects.toMatchObject(unordered);
  });

  it('are counted in the first request only', async () => {
    const { rest, sent } = crmOfPages(51, rowsFrom(1), rowsFrom(51, 1));
    await readAll(rest, { expected: 1 });
    expect(sent.map(({ parameters }) => parameters.start)).toEqual([0, -1]);
  });

  it('without rows are no chunk', async () => {
    const { rest } = crmOfPages(0, []);
    expect((await readList(rest, list, {}).next()).done).toBe(true);
  });

  it.each([[[{ id: 'x' }]], [[{ id: null }]], [['x']], [null]])('of another form are an error: %j', async page => {
    const { rest } = crmOfPages(1, page);
    await expect(readAll(rest)).rejects.toMatchObject({
      failure: { message: 'a page without rows', kind: 'rejected' },
    });
  });

  it.each([{}, 'text', null])('without their member are an error: %j', async result => {
    const rest: CrmRest = {
      call: () => Promise.reject(new Error('not in a batch')),
      batch: async () => [{ result, total: 1 }],
    };
    await expect(readAll(rest)).rejects.toMatchObject({ failure: { message: 'a page without rows' } });
  });
});

const Items = z.object({ items: z.array(z.unknown()) });
const cut = (page: CommandOutcome, rows: number): CommandOutcome =>
  'result' in page ? { ...page, result: { items: Items.parse(page.result).items.slice(0, rows) } } : page;
const withTotal = (page: CommandOutcome, total: number): CommandOutcome =>
  'result' in page ? { ...page, total } : page;
