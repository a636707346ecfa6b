/** The operations by method and path. Unknown members and parameters do not compile, unlike with openapi-fetch's own types. */
import type { Client, FetchResponse, MaybeOptionalInit, ParseAs } from 'openapi-fetch';
import type { paths } from './schema.ts';

type Methods = 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head';

type PathOf<M extends Methods> = {
  [Path in keyof paths]: paths[Path][M] extends undefined ? never : Path;
}[keyof paths];

// biome-ignore lint/suspicious/noExplicitAny: as in the types of openapi-fetch
type Operation = Record<string | number, any>;

type Options<I, As> = NoInfer<NonNullable<I>> & { parseAs?: As };

/** `I` is not inferred from the argument, which would then be allowed to have further members. */
type Call<M extends Methods> = <
  Path extends PathOf<M>,
  As extends ParseAs = 'json',
  I extends MaybeOptionalInit<paths[Path], M> = MaybeOptionalInit<paths[Path], M>,
>(
  url: Path,
  ...init: undefined extends I ? [init?: Options<I, As>] : [init: Options<I, As>]
) => Promise<
  FetchResponse<paths[Path][M] extends infer O extends Operation ? O : never, { parseAs: As }, `${string}/${string}`>
>;

/** The same functions, with narrower parameters than their type arguments can express. */
export function strict(api: Client<paths>): PortalApi;
export function strict(api: unknown): unknown {
  return api;
}

export interface PortalApi extends Pick<Client<paths>, 'use' | 'eject'> {
  GET: Call<'get'>;
  PUT: Call<'put'>;
  POST: Call<'post'>;
  DELETE: Call<'delete'>;
  PATCH: Call<'patch'>;
  HEAD: Call<'head'>;
}
