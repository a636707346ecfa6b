/** Client authentication and access tokens in PostgreSQL; deactivation and revocation take effect at once. */
import { and, eq, gt, isNull, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { createBatchLoader } from '../postgres/batch-loader.ts';
import { equalHashes, looksLikeCredential, newCredential, sha256 } from './credentials.ts';
import { oauthClientTable as client, oauthSecretTable as secret, oauthTokenTable as token } from './schema.ts';

export type OauthClient = typeof client.$inferSelect;

export interface TokenHolder {
  clientId: string;
  /** The token's scopes that the client still has. */
  scopes: string[];
}

/** Compared in place of a missing secret, so that an unknown client takes the same time. */
const noSecret = sha256('');

const now = sql`now()`;

/** Uses are recorded once a minute, so that reads of a busy client do not all become writes. */
const unrecorded = (lastUsedAt: SQLWrapper): SQL<boolean> =>
  sql<boolean>`(${lastUsedAt} is null or ${lastUsedAt} < now() - interval '1 minute')`;

export type OauthStore = ReturnType<typeof createOauthStore>;

export function createOauthStore(db: NodePgDatabase) {
  const secretsOf = prepareSecrets(db);
  const liveTokens = prepareLiveTokens(db);
  const liveToken = createBatchLoader(
    async hashes => new Map((await liveTokens.execute({ hashes })).map(row => [row.sha256, row])),
  );

  async function find(accessToken: string) {
    // The checksum detects a mistyped token without a query.
    if (!looksLikeCredential('token', accessToken)) return undefined;
    const row = await liveToken(sha256(accessToken));
    return row && { ...row, scopes: row.granted.filter(scope => row.allowed.includes(scope)) };
  }

  return {
    /** The active client with this id and secret. */
    async authenticate(clientId: string, clientSecret: string): Promise<OauthClient | undefined> {
      const hash = sha256(clientSecret);
      const rows = await secretsOf.execute({ clientId });
      if (rows.length === 0) equalHashes(noSecret, hash);
      const match = rows.filter(row => equalHashes(row.hash, hash)).at(0);
      if (!match) return undefined;
      if (match.unrecorded) await recordSecretUse(db, clientId, hash);
      return match.client;
    },

    async issueToken(
      { clientId, tokenLifetimeSeconds }: Pick<OauthClient, 'clientId' | 'tokenLifetimeSeconds'>,
      scopes: readonly string[],
    ) {
      const accessToken = newCredential('token');
      await db.insert(token).values({
        sha256: sha256(accessToken),
        clientId,
        scopes: [...scopes],
        expiresAt: sql`now() + ${tokenLifetimeSeconds} * interval '1 second'`,
      });
      return { accessToken, expiresInSeconds: tokenLifetimeSeconds, scopes: [...scopes] };
    },

    /** The holder of a live token of an active client. */
    async findHolder(accessToken: string): Promise<TokenHolder | undefined> {
      const found = await find(accessToken);
      if (found?.unrecorded) await recordUse(db, found.clientId);
      return found && { clientId: found.clientId, scopes: found.scopes };
    },

    /** A live token of an active client; does not record a use. */
    async findToken(accessToken: string) {
      const found = await find(accessToken);
      if (!found) return undefined;
      const { clientId, scopes, issuedAt, expiresAt } = found;
      return { clientId, scopes, issuedAt, expiresAt };
    },

    /** Deletes the token if it belongs to this client. */
    async revokeToken(accessToken: string, clientId: string): Promise<void> {
      await db.delete(token).where(and(eq(token.sha256, sha256(accessToken)), eq(token.clientId, clientId)));
    },
  };
}

/** Prepared once for each connection, because it runs with every token request. */
const prepareSecrets = (db: NodePgDatabase) =>
  db
    .select({ client, hash: secret.sha256, unrecorded: unrecorded(secret.lastUsedAt) })
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

/** Prepared once for each connection, because it runs with every request. */
const prepareLiveTokens = (db: NodePgDatabase) =>
  db
    .select({
      sha256: token.sha256,
      clientId: token.clientId,
      granted: token.scopes,
      allowed: client.scopes,
      issuedAt: token.createdAt,
      expiresAt: token.expiresAt,
      unrecorded: unrecorded(client.lastUsedAt),
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

async function recordSecretUse(db: NodePgDatabase, clientId: string, hash: string): Promise<void> {
  const used = and(eq(secret.clientId, clientId), eq(secret.sha256, hash));
  await db.update(secret).set({ lastUsedAt: now }).where(used);
  await recordUse(db, clientId);
}

const recordUse = (db: NodePgDatabase, clientId: string) =>
  db
    .update(client)
    .set({ lastUsedAt: now })
    .where(and(eq(client.clientId, clientId), unrecorded(client.lastUsedAt)));
