/** OAuth clients, their secrets and tokens in PostgreSQL; every lookup sees deactivation and revocation at once. */
import { and, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { equalHashes, newCredential, sha256 } from '../credentials.ts';
import {
  oauthClientTable as client,
  oauthSecretTable as secret,
  oauthTokenTable as token,
} from './schema/oauth.ts';

export interface OauthClient {
  clientId: string;
  name: string;
  description: string;
  scopes: string[];
  isActive: boolean;
  tokenLifetimeSeconds: number;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** Who calls, as the token says. */
export interface TokenHolder {
  clientId: string;
  scopes: string[];
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
  /** Makes the client, or brings its scopes and secret to what is given; other secrets of it end. */
  putClient(given: {
    clientId: string;
    clientSecret: string;
    name: string;
    scopes: readonly string[];
  }): Promise<void>;
}

export function createOauthStore(db: NodePgDatabase): OauthStore {
  return {
    async authenticate(clientId, clientSecret) {
      const hash = sha256(clientSecret);
      const rows = await db
        .select({ client, hash: secret.sha256 })
        .from(client)
        .innerJoin(secret, eq(secret.clientId, client.clientId))
        .where(
          and(
            eq(client.clientId, clientId),
            eq(client.isActive, true),
            or(isNull(secret.expiresAt), gt(secret.expiresAt, sql`now()`)),
          ),
        );
      const match = rows.filter(row => equalHashes(row.hash, hash)).at(0);
      if (!match) return undefined;
      await db
        .update(secret)
        .set({ lastUsedAt: sql`now()` })
        .where(and(eq(secret.clientId, clientId), eq(secret.sha256, hash)));
      await db.update(client).set({ lastUsedAt: sql`now()` }).where(eq(client.clientId, clientId));
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
      const [row] = await db
        .select({ clientId: token.clientId, scopes: token.scopes })
        .from(token)
        .innerJoin(client, eq(client.clientId, token.clientId))
        .where(
          and(
            eq(token.sha256, sha256(accessToken)),
            gt(token.expiresAt, sql`now()`),
            eq(client.isActive, true),
          ),
        );
      return row;
    },

    async putClient({ clientId, clientSecret, name, scopes }) {
      const hash = sha256(clientSecret);
      await db.transaction(async tx => {
        await tx
          .insert(client)
          .values({ clientId, name, scopes: [...scopes] })
          .onConflictDoUpdate({ target: client.clientId, set: { scopes: [...scopes], isActive: true } });
        await tx.delete(secret).where(and(eq(secret.clientId, clientId), sql`${secret.sha256} <> ${hash}`));
        await tx.insert(secret).values({ sha256: hash, clientId }).onConflictDoNothing();
      });
    },
  };
}
