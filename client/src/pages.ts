/** A list: its first page when it is awaited, all its items when it is iterated over. */
import { UnexpectedAnswer } from './errors.ts';

export interface Page<Item = unknown> {
  items: Item[];
  nextCursor: string | null;
}

/** Requests nothing before it is awaited or iterated over, and each further page as its items are needed. */
export interface Pages<P extends Page> extends PromiseLike<P>, AsyncIterable<P['items'][number]> {}

/** @param request requests the first page, or that of a cursor */
export function pagesOf(request: (cursor?: string) => Promise<unknown>): Pages<Page> {
  async function* items(): AsyncGenerator<unknown, void> {
    let page = pageIn(await request());
    for (;;) {
      yield* page.items;
      if (page.nextCursor === null) return;
      page = pageIn(await request(page.nextCursor));
    }
  }
  return {
    [Symbol.asyncIterator]: items,
    // biome-ignore lint/suspicious/noThenProperty: an awaited list is its first page
    then: (onPage, onError) => request().then(pageIn).then(onPage, onError),
  };
}

function pageIn(answer: unknown): Page {
  if (isPage(answer)) return answer;
  throw new UnexpectedAnswer('The answer must be a page of a list, with "items" and "nextCursor".');
}

const isPage = (value: unknown): value is Page =>
  typeof value === 'object' &&
  value !== null &&
  'items' in value &&
  Array.isArray(value.items) &&
  'nextCursor' in value &&
  (value.nextCursor === null || typeof value.nextCursor === 'string');
