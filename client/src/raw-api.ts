/** The operations by method and path. Unknown members and parameters do not compile, unlike with openapi-fetch's own types. */
import createClient, { type Client, type FetchResponse, type MaybeOptionalInit, type ParseAs } from 'openapi-fetch';
import type { Server } from './methods.ts';
import { allRoutes } from './route.ts';
import type { Routes } from './schema.ts';
import type { CallOptions } from './transport.ts';

type Options<I, As> = NoInfer<NonNullable<I>> & { parseAs?: As } & Pick<CallOptions, 'timeoutMs'>;

/** `I` is not inferred from the argument, which would then be allowed to have further members. */
type Call<Paths> = <
  Path extends keyof Paths,
  As extends ParseAs = 'json',
  I extends MaybeOptionalInit<Paths, Path> = MaybeOptionalInit<Paths, Path>,
>(
  url: Path,
  ...init: undefined extends I ? [init?: Options<I, As>] : [init: Options<I, As>]
) => Promise<FetchResponse<Paths[Path] & Record<string | number, unknown>, { parseAs: As }, `${string}/${string}`>>;

export interface PortalApi extends Pick<Client<Record<string, never>>, 'use' | 'eject'> {
  GET: Call<Routes['get']>;
  PUT: Call<Routes['put']>;
  POST: Call<Routes['post']>;
  DELETE: Call<Routes['delete']>;
  PATCH: Call<Routes['patch']>;
}

export function rawApi(server: Server): PortalApi;
/** The same functions, with narrower parameters than their type arguments can express. */
export function rawApi({ baseUrl, send }: Server): unknown {
  const withKey = new Set(
    allRoutes().flatMap(({ method, path, words }) => (words.has('key') ? [`${method} ${path}`] : [])),
  );
  const api = createClient({
    baseUrl,
    // openapi-fetch copies options that it does not know to the request.
    fetch: request => send(request, { timeoutMs: timeoutIn(request) }),
  });
  api.use({
    onRequest({ request, schemaPath }) {
      const needsKey = withKey.has(`${request.method} ${schemaPath}`) && !request.headers.has('idempotency-key');
      if (needsKey) request.headers.set('idempotency-key', crypto.randomUUID());
    },
  });
  return api;
}

const timeoutIn = (request: Request): number | undefined =>
  'timeoutMs' in request && typeof request.timeoutMs === 'number' ? request.timeoutMs : undefined;
