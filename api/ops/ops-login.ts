/** The login of operations: `/ops`, Bull Board and the metrics are for OPS_USER, and for tokens with the scope `ops`. */
import type { FastifyRequest } from 'fastify';
import { equalHashes, sha256 } from '../../core/credentials.ts';
import { ServiceError } from '../../core/errors.ts';
import { bearerToken, requireScope } from '../plugins/bearer.ts';
import type { ApiServices } from '../services.ts';

const scope = 'ops';

/** Who is logged in: a client by its token, or a person by the login. */
export interface Operator {
  kind: 'client' | 'operator';
  /** The client's id, or OPS_USER. */
  name: string;
}

/** @throws ServiceError unauthorized with a Basic challenge, so that a browser asks for the login */
export async function requireOps(
  { headers: { authorization } }: Pick<FastifyRequest, 'headers'>,
  { config, oauth }: Pick<ApiServices, 'config' | 'oauth'>,
): Promise<Operator> {
  const accessToken = bearerToken(authorization);
  const holder = accessToken === undefined ? undefined : await oauth.findHolder(accessToken);
  if (holder) {
    requireScope(holder, scope);
    return { kind: 'client', name: holder.clientId };
  }
  const { OPS_USER: name, OPS_PASSWORD: password } = config;
  if (name !== undefined && password !== undefined) {
    if (equalHashes(sha256(basicLogin(authorization)), sha256(`${name}:${password}`)))
      return { kind: 'operator', name };
  }
  throw new ServiceError('unauthorized', `Log in as OPS_USER, or send a token with the scope ${scope}.`, {
    headers: { 'www-authenticate': 'Basic realm="Portal Service operations", charset="UTF-8"' },
  });
}

/**
 * A browser sends the login by itself, so what another site makes it send must not change anything.
 * @throws ServiceError forbidden
 */
export function refuseForged(request: FastifyRequest, publicUrl: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  // A browser from before 2023 may tell the origin only; a program tells neither.
  const own = [new URL(publicUrl).origin, `${request.protocol}://${request.host}`];
  if (site === 'same-origin' || (site === undefined && (origin === undefined || own.includes(origin))))
    return;
  throw new ServiceError('forbidden', 'Changes are made from the pages of operations themselves only.');
}

const basicLogin = (authorization: string | undefined): string =>
  Buffer.from(/^basic +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '', 'base64').toString('utf8');
