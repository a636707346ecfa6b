/** Iterates over the items of a list and requests its pages as they are needed. */
import type { MaybeOptionalInit } from 'openapi-fetch';
import { type ApiAnswer, dataOf } from './call.ts';
import type { paths } from './schema.ts';
import type { PortalApi } from './strict-api.ts';

interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

interface List<Item> {
  get: { responses: { 200: { content: { 'application/json': Page<Item> } } } };
}

/** The paths whose GET returns pages. */
export type ListPath = {
  [Path in keyof paths]: paths[Path] extends List<unknown> ? Path : never;
}[keyof paths];

export type ItemOf<Path extends ListPath> = paths[Path] extends List<infer Item> ? Item : never;

/** The same as for `api.GET`; optional unless the path has parameters. */
export type ListInit<Path extends ListPath> = MaybeOptionalInit<paths[Path], 'get'>;

interface AnyInit {
  params?: { query?: { cursor?: string } };
}

export function itemsOf<Path extends ListPath>(
  api: PortalApi,
  path: Path,
  init: ListInit<Path> | undefined,
): AsyncGenerator<ItemOf<Path>, void>;
/** @throws PortalProblem for a response with an error status */
export async function* itemsOf(
  api: { GET(path: string, init: AnyInit): Promise<ApiAnswer<Page<unknown>>> },
  path: string,
  init: AnyInit = {},
): AsyncGenerator<unknown, void> {
  let { cursor } = init.params?.query ?? {};
  for (;;) {
    const query = { ...init.params?.query, ...(cursor !== undefined && { cursor }) };
    const page = await dataOf(api.GET(path, { ...init, params: { ...init.params, query } }));
    yield* page.items;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
