/** Sessions of operators who signed in with OpenID Connect: a signed cookie, and a row in PostgreSQL. */
import type { FastifySessionOptions } from '@fastify/session';
import type { FastifyInstance, FastifyRequest, Session } from 'fastify';
import { z } from 'zod';
import { createOperatorSessions, type OperatorSessions } from '../../core/oauth/operator-sessions.ts';
import type { ApiServices } from '../services.ts';
import { OperatorRole } from './operator-role.ts';

const SignedIn = z.object({
  name: z.string().describe("E-mail address, else the provider's user name, else its id of the person."),
  role: OperatorRole,
  idToken: z.string().describe('For signing out at the provider.'),
});
export type SignedIn = z.infer<typeof SignedIn>;

/** A stored session; the plugin reads its cookie. */
const Stored = z.custom<Session>(
  value => z.object({ cookie: z.looseObject({}), signedIn: SignedIn.optional() }).safeParse(value).success,
);

declare module 'fastify' {
  interface Session {
    signedIn?: SignedIn;
  }
}

const hourMs = 3_600_000;

/** Adds sessions to the routes of `scope`; nothing without OIDC_ISSUER. */
export async function acceptSessions(
  scope: FastifyInstance,
  { config, database, secrets, publicUrl }: ApiServices,
): Promise<void> {
  if (config.OIDC_ISSUER === undefined) return;
  // Loaded only where they are used, so that the API starts sooner.
  const { default: fastifyCookie } = await import('@fastify/cookie');
  const { default: fastifySession } = await import('@fastify/session');
  const secret = (await secrets.get('operator-sessions')).toString('base64');
  const secure = publicUrl.startsWith('https:');
  await scope.register(fastifyCookie, { secret });
  await scope.register(fastifySession, {
    secret,
    // Browsers accept a cookie with this prefix from this host and over TLS only (RFC 6265bis section 4.1.3.2).
    cookieName: secure ? '__Host-operator' : 'operator',
    // `lax`, because the provider's page sends the browser back to this site.
    cookie: { secure, httpOnly: true, sameSite: 'lax', path: '/', maxAge: config.OPS_SESSION_HOURS * hourMs },
    rolling: false,
    saveUninitialized: false,
    store: storeOf(createOperatorSessions(database)),
  });
}

type Store = NonNullable<FastifySessionOptions['store']>;

/** The plugin's interface has callbacks. */
function storeOf(sessions: OperatorSessions): Store {
  return {
    get(id, callback) {
      sessions.find(id).then(
        content => callback(null, content && Stored.parse(content)),
        error => callback(error),
      );
    },
    set(id, session, callback) {
      const expiresAt = session.cookie.expires ?? new Date(Date.now() + hourMs);
      sessions.save(id, session, expiresAt).then(() => callback(), callback);
    },
    destroy(id, callback) {
      sessions.end(id).then(() => callback(), callback);
    },
  };
}

/**
 * Where a page of the operators sends a browser without a session.
 * @returns undefined for programs, and without OIDC_ISSUER
 */
export function signInPath(
  { method, headers, url }: FastifyRequest,
  config: ApiServices['config'],
): string | undefined {
  const isPage = headers['sec-fetch-mode'] === 'navigate' || headers.accept?.includes('text/html') === true;
  if (config.OIDC_ISSUER === undefined || method !== 'GET' || !isPage || headers.authorization) return undefined;
  return `${config.BASE_PATH}/ops/sign-in?to=${encodeURIComponent(url)}`;
}
