/**
 * Operator login for `/ops`, Bull Board and metrics: a session of OpenID Connect, OPS_USER with Basic authentication, or a
 * token with scope `ops`.
 */
import type { FastifyRequest, Session } from 'fastify';
import { equalHashes, sha256 } from '../../core/oauth/credentials.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { ApiServices } from '../services.ts';
import { bearerToken, requireScope } from './bearer.ts';
import type { OperatorRole } from './operator-role.ts';

const scope = 'ops';
const basicChallenge = 'Basic realm="Portal Service operations", charset="UTF-8"';

export interface Operator {
  kind: 'client' | 'operator';
  /** Client id, the person who signed in, or OPS_USER. */
  name: string;
  role: OperatorRole;
}

/** `session` is absent where sessions are not accepted. */
type Caller = Pick<FastifyRequest, 'headers' | 'ip'> & { session?: Pick<Session, 'signedIn'> };

/**
 * @throws ServiceError unauthorized with a Basic challenge, which makes browsers ask for the login; insufficient-scope;
 * too-many-requests
 */
export async function requireOps(
  { headers: { authorization }, ip, session }: Caller,
  { config, oauth, throttle }: Pick<ApiServices, 'config' | 'oauth' | 'throttle'>,
): Promise<Operator> {
  const accessToken = bearerToken(authorization);
  const holder = accessToken === undefined ? undefined : await oauth.findHolder(accessToken);
  if (holder) {
    requireScope(holder, scope);
    return { kind: 'client', name: holder.clientId, role: 'operator' };
  }
  if (session?.signedIn) {
    const { name, role } = session.signedIn;
    return { kind: 'operator', name, role };
  }
  const given = basicLogin(authorization);
  const { OPS_USER: name, OPS_PASSWORD: password } = config;
  if (given !== undefined && name !== undefined && password !== undefined) {
    if (equalHashes(sha256(given), sha256(`${name}:${password}`))) return { kind: 'operator', name, role: 'operator' };
    await throttle.countOperator(ip);
  }
  const isSignInPage = config.OIDC_ISSUER !== undefined;
  const way = isSignInPage ? `Sign in at ${config.BASE_PATH}/ops/sign-in` : 'Log in as OPS_USER';
  // With a sign-in page, browsers must not ask for a Basic login.
  const challenge = isSignInPage && given === undefined ? 'Bearer realm="ops"' : basicChallenge;
  throw new ServiceError('unauthorized', `${way}, or send a token with the scope ${scope}.`, {
    headers: { 'www-authenticate': challenge },
  });
}

/**
 * CSRF protection: browsers send the Basic login with requests that other sites trigger. In production, the pages work at
 * PUBLIC_URL only: the request's own Host is a name that another site can resolve to this address (DNS rebinding).
 * @throws ServiceError forbidden
 */
export function rejectForged(
  { method, headers, protocol, host }: FastifyRequest,
  { config, publicUrl }: Pick<ApiServices, 'config' | 'publicUrl'>,
): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { origin, 'sec-fetch-site': site } = headers;
  const publicOrigin = new URL(publicUrl).origin;
  const own = config.NODE_ENV === 'production' ? [publicOrigin] : [publicOrigin, `${protocol}://${host}`];
  // Browsers before 2023 may send only Origin; programs send neither header.
  if ((site === undefined || site === 'same-origin') && (origin === undefined || own.includes(origin))) return;
  throw new ServiceError(
    'forbidden',
    `Requests from other sites are rejected; use the operator pages at ${publicOrigin} (PUBLIC_URL).`,
  );
}

function basicLogin(authorization = ''): string | undefined {
  const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}
