/**
 * Sign-in of operators with OpenID Connect (authorisation code flow with PKCE, OpenID Connect Core 1.0 section 3.1), and
 * sign-out (OpenID Connect RP-Initiated Logout 1.0).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { ConfigurationError } from '../../core/runtime/config.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { skipTokenCheck } from '../plugins/bearer.ts';
import type { OperatorRole } from '../plugins/operator-role.ts';
import { acceptSessions, type SignedIn } from '../plugins/operator-session.ts';
import { rejectForged } from '../plugins/ops-login.ts';
import type { ApiServices } from '../services.ts';
import { answerErrorsWithPages, type OpsPages } from './pages.ts';

type Config = ApiServices['config'];

/** Kept in a signed cookie between the request to the provider and its answer. */
const Attempt = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() });
type Attempt = z.infer<typeof Attempt>;

const attemptCookie = 'operator-sign-in';
const attemptSeconds = 600;
const providerTimeoutSeconds = 15;

/** Adds the routes below `/ops`. @throws ConfigurationError */
export async function mountSignIn(app: FastifyInstance, services: ApiServices, pages: OpsPages): Promise<void> {
  const { config } = services;
  const provider = openProvider(config);
  const prefix = `${config.BASE_PATH}/ops`;
  const callbackUrl = `${services.publicUrl}${prefix}/sign-in/callback`;
  await app.register(
    async routes => {
      skipTokenCheck(routes);
      await acceptSessions(routes, services);
      answerErrorsWithPages(routes, pages);
      // The form of the sign-out button has no fields.
      routes.removeAllContentTypeParsers();
      routes.addContentTypeParser('application/x-www-form-urlencoded', async () => undefined);

      routes.get('/sign-in', async (request, reply) => {
        requireTls(request, services.publicUrl);
        const attempt = newAttempt(request, prefix);
        setAttempt(reply, attempt, services.publicUrl);
        return reply.redirect((await authorizationUrl(await provider(), attempt, { config, callbackUrl })).href);
      });

      routes.get('/sign-in/callback', async (request, reply) => {
        const attempt = attemptOf(request);
        reply.clearCookie(attemptCookie, { path: '/' });
        const current = new URL(callbackUrl);
        current.search = new URL(request.url, callbackUrl).search;
        const signedIn = await finish(await provider(), { current, attempt, config });
        // A new id, so that an id known before the sign-in is worth nothing.
        await request.session.regenerate();
        request.session.set('signedIn', signedIn);
        request.log.info({ operator: signedIn.name, role: signedIn.role }, 'operator signed in');
        return reply.redirect(attempt.to, 303);
      });

      routes.post('/sign-out', async (request, reply) => {
        rejectForged(request, services);
        const idToken = request.session.signedIn?.idToken;
        await request.session.destroy();
        const links = [{ href: prefix, label: 'Sign in again' }];
        const ending = endSessionUrl(await provider(), idToken, `${services.publicUrl}${prefix}`);
        // A link, because the pages' security policy lets forms lead to this site only.
        if (ending) links.push({ href: ending.href, label: `Sign out at ${ending.host} as well` });
        const view = { title: 'You are signed out', message: 'This browser has no session here any more.', links };
        return pages.show('notice', { request, reply }, view);
      });
    },
    { prefix },
  );
}

/** Reads the provider's metadata at the first use, and again after a failure. */
function openProvider(config: Config): () => Promise<oidc.Configuration> {
  const { OIDC_ISSUER = '', OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  const lacks = [
    clientId === undefined && 'OIDC_CLIENT_ID',
    clientSecret === undefined && 'OIDC_CLIENT_SECRET',
    config.OIDC_OPERATOR_GROUPS.length === 0 && 'OIDC_OPERATOR_GROUPS',
  ].filter(name => name !== false);
  if (clientId === undefined || lacks.length > 0)
    throw new ConfigurationError(`OIDC_ISSUER is set; set ${lacks.join(' and ')} as well.`);
  const issuer = new URL(OIDC_ISSUER);
  const options = {
    timeout: providerTimeoutSeconds,
    execute: issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [],
  };
  let opened: Promise<oidc.Configuration> | undefined;
  return async () => {
    opened ??= oidc.discovery(issuer, clientId, clientSecret, undefined, options);
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      throw new ServiceError(
        'upstream-unavailable',
        `The sign-in provider ${issuer.host} does not answer; try again.`,
        {
          cause: error,
        },
      );
    }
  };
}

function endSessionUrl(provider: oidc.Configuration, idToken: string | undefined, back: string): URL | undefined {
  if (idToken === undefined || provider.serverMetadata().end_session_endpoint === undefined) return undefined;
  return oidc.buildEndSessionUrl(provider, { id_token_hint: idToken, post_logout_redirect_uri: back });
}

/** The session cookie would be rejected by the browser: it is set over TLS only. */
function requireTls({ protocol }: FastifyRequest, publicUrl: string): void {
  if (protocol === 'https' || publicUrl.startsWith('http:')) return;
  throw new ServiceError(
    'conflict',
    'PUBLIC_URL is an https address, but this request arrived without TLS: open that address, and set TRUST_PROXY to the proxy that terminates TLS.',
  );
}

const SignInQuery = z.object({ to: z.string().default('') });

/** The target is a path of this service, so that a link to the sign-in page cannot lead elsewhere. */
function newAttempt(request: FastifyRequest, prefix: string): Attempt {
  const { to } = SignInQuery.catch({ to: '' }).parse(request.query);
  const base = new URL('http://own.invalid');
  const target = URL.canParse(to, base) ? new URL(to, base) : base;
  const isOwn = to.startsWith('/') && target.origin === base.origin;
  return {
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
    to: isOwn ? target.pathname + target.search + target.hash : prefix,
  };
}

function setAttempt(reply: FastifyReply, attempt: Attempt, publicUrl: string): void {
  reply.setCookie(attemptCookie, JSON.stringify(attempt), {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
    signed: true,
    maxAge: attemptSeconds,
  });
}

/** @throws ServiceError invalid-input when the sign-in was not begun in this browser, or too long ago */
function attemptOf(request: FastifyRequest): Attempt {
  const { value } = request.unsignCookie(request.cookies[attemptCookie] ?? '');
  const parsed = value ? Attempt.safeParse(JSON.parse(value)) : undefined;
  if (parsed?.success) return parsed.data;
  throw new ServiceError('invalid-input', 'This sign-in has expired or was begun in another browser; begin again.');
}

async function authorizationUrl(
  provider: oidc.Configuration,
  { state, nonce, verifier }: Attempt,
  { config, callbackUrl }: { config: Config; callbackUrl: string },
): Promise<URL> {
  return oidc.buildAuthorizationUrl(provider, {
    redirect_uri: callbackUrl,
    scope: config.OIDC_SCOPES,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
}

/** @throws ServiceError unauthorized when the provider refuses; forbidden when the person has no role here */
async function finish(
  provider: oidc.Configuration,
  { current, attempt, config }: { current: URL; attempt: Attempt; config: Config },
): Promise<SignedIn> {
  const tokens = await oidc
    .authorizationCodeGrant(provider, current, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.verifier,
      idTokenExpected: true,
    })
    .catch((error: unknown) => {
      throw new ServiceError('unauthorized', 'The sign-in was not completed; begin again.', { cause: error });
    });
  const claims = tokens.claims();
  if (!claims || tokens.id_token === undefined)
    throw new ServiceError('unauthorized', 'The provider sent no ID token; begin again.');
  const person = await withGroups(provider, { ...claims }, { accessToken: tokens.access_token, config });
  const name = nameOf(person);
  const role = roleOf(person[config.OIDC_GROUPS_CLAIM], config);
  if (role) return { name, role, idToken: tokens.id_token };
  throw new ServiceError(
    'forbidden',
    `${name} is in none of the groups that may open these pages (claim ${config.OIDC_GROUPS_CLAIM}). Ask an administrator of the identity directory.`,
  );
}

type Claims = Record<string, unknown>;

/** Some providers list groups in the user info only. */
async function withGroups(
  provider: oidc.Configuration,
  claims: Claims,
  { accessToken, config }: { accessToken: string; config: Config },
): Promise<Claims> {
  const { sub } = claims;
  const isComplete = config.OIDC_GROUPS_CLAIM in claims || provider.serverMetadata().userinfo_endpoint === undefined;
  if (isComplete || typeof sub !== 'string') return claims;
  return Object.assign(claims, await oidc.fetchUserInfo(provider, accessToken, sub));
}

function nameOf({ email, preferred_username: userName, sub }: Claims): string {
  return [email, userName, sub].find(value => typeof value === 'string' && value !== '')?.toString() ?? 'unknown';
}

const Groups = z.union([z.array(z.string()), z.string().transform(name => [name])]);

function roleOf(claim: unknown, config: Config): OperatorRole | undefined {
  const groups = Groups.catch([]).parse(claim);
  if (config.OIDC_OPERATOR_GROUPS.some(name => groups.includes(name))) return 'operator';
  return config.OIDC_VIEWER_GROUPS.some(name => groups.includes(name)) ? 'viewer' : undefined;
}
