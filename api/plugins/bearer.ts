/** Bearer tokens (RFC 6750). A route must name its scope or declare itself public; otherwise it answers 403. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OauthStore, TokenHolder } from '../../core/oauth/tokens.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { anyScope } from '../http/operation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required scope; null: public; absent: the route answers 403. */
    scope?: string | null;
  }
  interface FastifyRequest {
    holder: TokenHolder;
  }
}

const anonymous: TokenHolder = { clientId: '', scopes: [] };
const realm = 'realm="portal-service"';

type Holders = Pick<OauthStore, 'findHolder'>;

export function protectRoutes(app: FastifyInstance, oauth: Holders): void {
  app.decorateRequest('holder');
  app.addHook('onRequest', async request => {
    request.holder = anonymous;
    const scope = request.routeOptions.config.scope;
    if (request.is404 || scope === null) return;
    if (scope === undefined) throw new ServiceError('forbidden', 'This route is closed: it declares no scope.');
    const holder = await holderOf(request, oauth);
    if (scope !== anyScope) requireScope(holder, scope);
    request.holder = holder;
  });
}

/** @throws ServiceError unauthorized, with the challenge of RFC 6750 section 3 */
async function holderOf(request: FastifyRequest, oauth: Holders): Promise<TokenHolder> {
  const accessToken = bearerToken(request.headers.authorization);
  if (accessToken === undefined) {
    throw new ServiceError('unauthorized', 'Send an access token: Authorization: Bearer <token>.', {
      headers: { 'www-authenticate': `Bearer ${realm}` },
    });
  }
  const holder = await oauth.findHolder(accessToken);
  if (holder) return holder;
  throw new ServiceError('unauthorized', 'The access token is unknown, expired or revoked.', {
    headers: { 'www-authenticate': `Bearer ${realm}, error="invalid_token"` },
  });
}

/** @throws ServiceError insufficient-scope, naming the scope */
export function requireScope(holder: TokenHolder, scope: string): void {
  if (holder.scopes.includes(scope)) return;
  throw new ServiceError('insufficient-scope', `The access token lacks the scope ${scope}.`, {
    headers: { 'www-authenticate': `Bearer ${realm}, error="insufficient_scope", scope="${scope}"` },
  });
}

/** The scheme's name is case-insensitive (RFC 9110 section 11.1). */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '')?.[1];
}

/** Disables the token check for routes of this scope, which are public or have their own login. */
export function skipTokenCheck(scope: FastifyInstance): void {
  scope.addHook('onRoute', route => {
    route.config = { ...route.config, scope: null };
  });
}
