/** Client authentication and access tokens in PostgreSQL; every lookup sees deactivation and revocation at once. */
import { and, eq, gt, isNull, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { joinLookups } from '../postgres/batch-loader.ts';
import { equalHashes, looksLikeCredential, newCredential, sha256 } from './credentials.ts';
import {
  oauthClientTable as client,
  oauthSecretTable as secret,
  oauthTokenTable as token,
} from './schema.ts';

export interface OauthClient {
  clientId: string;
  name: string;
  description: string;
  scopes: string[];
  isActive: boolean;
  tokenLifetimeSeconds: number;
  createdAt: Date;
  /** To the minute: when it last authenticated or used a token. */
  lastUsedAt: Date | null;
}

/** Who calls, as the token says. */
export interface TokenHolder {
  clientId: string;
  /** Those of the token that the client still has. */
  scopes: string[];
}

export interface LiveToken extends TokenHolder {
  issuedAt: Date;
  expiresAt: Date;
}

export interface IssuedToken {
  accessToken: string;
  expiresInSeconds: number;
  scopes: string[];
}

export interface OauthStore {
  /** The active client with this id and secret. */
  authenticate(clientId: string, clientSecret: string): Promise<OauthClient | undefined>;
  issueToken(client: OauthClient, scopes: readonly string[]): Promise<IssuedToken>;
  /** The holder of a live token of an active client. */
  findHolder(accessToken: string): Promise<TokenHolder | undefined>;
  /** A live token of an active client, with its times. */
  findToken(accessToken: string): Promise<LiveToken | undefined>;
  /** Ends the token, if it is this client's. */
  revokeToken(accessToken: string, clientId: string): Promise<void>;
}

/** Compared with when there is no secret to compare with, so that an unknown client takes the same time. */
const noSecret = sha256('');

const now = sql`now()`;

/** Uses are written down once a minute, so that a busy client does not make a write of every read. */
const unwritten = (lastUsedAt: SQLWrapper): SQL<boolean> =>
  sql<boolean>`(${lastUsedAt} is null or ${lastUsedAt} < now() - interval '1 minute')`;

export function createOauthStore(db: NodePgDatabase): OauthStore {
  // Prepared once a connection: these two run with every token and every request.
  const secretsOf = db
    .select({ client, hash: secret.sha256, unwritten: unwritten(secret.lastUsedAt) })
    .from(client)
    .innerJoin(secret, eq(secret.clientId, client.clientId))
    .where(
      and(
        eq(client.clientId, sql.placeholder('clientId')),
        eq(client.isActive, true),
        or(isNull(secret.expiresAt), gt(secret.expiresAt, now)),
      ),
    )
    .prepare('oauth_secrets_of_client');

  const liveTokens = db
    .select({
      sha256: token.sha256,
      clientId: token.clientId,
      granted: token.scopes,
      allowed: client.scopes,
      issuedAt: token.createdAt,
      expiresAt: token.expiresAt,
      unwritten: unwritten(client.lastUsedAt),
    })
    .from(token)
    .innerJoin(client, eq(client.clientId, token.clientId))
    .where(
      and(
        sql`${token.sha256} = any(${sql.placeholder('hashes')}::text[])`,
        gt(token.expiresAt, now),
        eq(client.isActive, true),
      ),
    )
    .prepare('oauth_live_tokens');
  const liveToken = joinLookups(
    async hashes => new Map((await liveTokens.execute({ hashes })).map(row => [row.sha256, row])),
  );

  const writeUse = (clientId: string) =>
    db
      .update(client)
      .set({ lastUsedAt: now })
      .where(and(eq(client.clientId, clientId), unwritten(client.lastUsedAt)));

  const find = async (accessToken: string) => {
    // A mistyped token is told by its checksum and asks the database nothing.
    if (!looksLikeCredential('token', accessToken)) return undefined;
    const row = await liveToken(sha256(accessToken));
    return row && { ...row, scopes: row.granted.filter(scope => row.allowed.includes(scope)) };
  };

  return {
    async authenticate(clientId, clientSecret) {
      const hash = sha256(clientSecret);
      const rows = await secretsOf.execute({ clientId });
      if (rows.length === 0) equalHashes(noSecret, hash);
      const match = rows.filter(row => equalHashes(row.hash, hash)).at(0);
      if (!match) return undefined;
      if (match.unwritten) {
        await db
          .update(secret)
          .set({ lastUsedAt: now })
          .where(and(eq(secret.clientId, clientId), eq(secret.sha256, hash)));
        await writeUse(clientId);
      }
      return match.client;
    },

    async issueToken({ clientId, tokenLifetimeSeconds }, scopes) {
      const accessToken = newCredential('token');
      await db.insert(token).values({
        sha256: sha256(accessToken),
        clientId,
        scopes: [...scopes],
        expiresAt: sql`now() + ${tokenLifetimeSeconds} * interval '1 second'`,
      });
      return { accessToken, expiresInSeconds: tokenLifetimeSeconds, scopes: [...scopes] };
    },

    async findHolder(accessToken) {
      const found = await find(accessToken);
      if (found?.unwritten) await writeUse(found.clientId);
      return found && { clientId: found.clientId, scopes: found.scopes };
    },

    async findToken(accessToken) {
      const found = await find(accessToken);
      if (!found) return undefined;
      const { clientId, scopes, issuedAt, expiresAt } = found;
      return { clientId, scopes, issuedAt, expiresAt };
    },

    async revokeToken(accessToken, clientId) {
      await db.delete(token).where(and(eq(token.sha256, sha256(accessToken)), eq(token.clientId, clientId)));
    },
  };
}
