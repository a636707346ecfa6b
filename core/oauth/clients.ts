/** Administration of OAuth clients in PostgreSQL; each act and its audit entry are one transaction. */

import { randomUUID } from 'node:crypto';
import { and, desc, eq, gt, isNull, lt, lte, or, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { recordAct } from '../postgres/audit.ts';
import type { Actor } from '../runtime/actor.ts';
import { ServiceError } from '../runtime/errors.ts';
import { newCredential, sha256 } from './credentials.ts';
import {
  oauthClientTable as client,
  oauthSecretTable as secret,
  oauthTokenTable as token,
} from './schema.ts';
import type { OauthClient } from './tokens.ts';

/** What is shown of a secret that works: enough to tell which one is still in use. */
export interface SecretInUse {
  /** The first 8 hexadecimal digits of its SHA-256. */
  fingerprint: string;
  createdAt: Date;
  /** Null: until it is rotated. */
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

export interface ClientWithSecrets extends OauthClient {
  /** The newest first. */
  secrets: SecretInUse[];
}

export interface NewClient extends Pick<OauthClient, 'name' | 'description' | 'scopes'> {
  tokenLifetimeSeconds: number;
}

export interface ClientWithNewSecret {
  client: ClientWithSecrets;
  /** Known to nobody but the receiver of this: it is kept as its hash. */
  clientSecret: string;
}

/** Asked with the client locked as it stands; throws to refuse the act. */
export type Permit = (current: OauthClient) => void;

export interface OauthClients {
  /** The newest first, beginning after `after`. */
  list(limit: number, after?: Pick<OauthClient, 'createdAt' | 'clientId'>): Promise<OauthClient[]>;
  find(clientId: string): Promise<ClientWithSecrets | undefined>;
  create(given: NewClient, by: Actor): Promise<ClientWithNewSecret>;
  /** A client that stops being active, or is so again, loses its tokens. Undefined: there is no such client. */
  replace(
    clientId: string,
    given: NewClient & Pick<OauthClient, 'isActive'>,
    by: Actor,
    permit?: Permit,
  ): Promise<ClientWithSecrets | undefined>;
  deactivate(clientId: string, by: Actor, permit?: Permit): Promise<ClientWithSecrets | undefined>;
  /**
   * Makes a new secret; the others work on for the grace period, or to their earlier end.
   * @throws ServiceError conflict when `maxSecrets` would be passed
   */
  rotateSecret(
    clientId: string,
    graceSeconds: number,
    by: Actor,
    permit?: Permit,
  ): Promise<ClientWithNewSecret | undefined>;
  /** Makes the client, or brings its scopes and secret to what is given; other secrets of it end. */
  put(
    given: Pick<OauthClient, 'clientId' | 'name' | 'scopes'> & { clientSecret: string },
    by: Actor,
  ): Promise<void>;
}

/** Secrets of a client that work at the same time, the new one included. */
const maxSecrets = 5;

type Transaction = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];

const now = sql`now()`;
const works = or(isNull(secret.expiresAt), gt(secret.expiresAt, now));

export function createOauthClients(db: NodePgDatabase): OauthClients {
  /** Changes a client under its lock, and writes down what the change made of it. */
  const act = <T>(
    action: string,
    clientId: string,
    by: Actor,
    permit: Permit | undefined,
    change: (tx: Transaction, before: ClientWithSecrets) => Promise<T>,
  ): Promise<{ client: ClientWithSecrets; made: T } | undefined> =>
    db.transaction(async tx => {
      const before = await read(tx, clientId, 'lock');
      if (!before) return undefined;
      permit?.(before);
      const made = await change(tx, before);
      const after = await mustRead(tx, clientId);
      await recordAct(tx, by, {
        action,
        target: pathOf(clientId),
        before: audited(before),
        after: audited(after),
      });
      return { client: after, made };
    });

  return {
    list: (limit, after) =>
      db
        .select()
        .from(client)
        .where(
          after &&
            or(
              lt(client.createdAt, after.createdAt),
              and(eq(client.createdAt, after.createdAt), lt(client.clientId, after.clientId)),
            ),
        )
        .orderBy(desc(client.createdAt), desc(client.clientId))
        .limit(limit),

    find: clientId => read(db, clientId),

    create: (given, by) =>
      db.transaction(async tx => {
        const clientId = randomUUID();
        await tx.insert(client).values({ ...given, clientId });
        const clientSecret = await addSecret(tx, clientId);
        const made = await mustRead(tx, clientId);
        await recordAct(tx, by, {
          action: 'oauth.createClient',
          target: pathOf(clientId),
          before: null,
          after: audited(made),
        });
        return { client: made, clientSecret };
      }),

    async replace(clientId, given, by, permit) {
      const done = await act('oauth.replaceClient', clientId, by, permit, async (tx, before) => {
        const { name, description, scopes, tokenLifetimeSeconds, isActive } = given;
        await tx
          .update(client)
          .set({ name, description, scopes, tokenLifetimeSeconds, isActive })
          .where(eq(client.clientId, clientId));
        // Also on its return: a token issued while it was being switched off must not come back with it.
        if (isActive !== before.isActive) await tx.delete(token).where(eq(token.clientId, clientId));
      });
      return done?.client;
    },

    async deactivate(clientId, by, permit) {
      const done = await act('oauth.deactivateClient', clientId, by, permit, async tx => {
        await tx.update(client).set({ isActive: false }).where(eq(client.clientId, clientId));
        await tx.delete(token).where(eq(token.clientId, clientId));
      });
      return done?.client;
    },

    async rotateSecret(clientId, graceSeconds, by, permit) {
      const done = await act('oauth.rotateSecret', clientId, by, permit, async (tx, before) => {
        if (graceSeconds > 0) refuseTooMany(before);
        await endSecrets(tx, clientId, graceSeconds);
        return addSecret(tx, clientId);
      });
      return done && { client: done.client, clientSecret: done.made };
    },

    put: ({ clientId, clientSecret, name, scopes }, by) =>
      db.transaction(async tx => {
        const made = await tx
          .insert(client)
          .values({ clientId, name, scopes })
          .onConflictDoNothing()
          .returning({ clientId: client.clientId });
        const before = await read(tx, clientId, 'lock');
        const sha = sha256(clientSecret);
        await tx.update(client).set({ scopes, isActive: true }).where(eq(client.clientId, clientId));
        if (before?.isActive === false) await tx.delete(token).where(eq(token.clientId, clientId));
        await tx.delete(secret).where(and(eq(secret.clientId, clientId), sql`${secret.sha256} <> ${sha}`));
        await tx
          .insert(secret)
          .values({ clientId, sha256: sha })
          .onConflictDoUpdate({ target: [secret.clientId, secret.sha256], set: { expiresAt: null } });
        const [was, is] = [
          made.length > 0 || !before ? null : audited(before),
          audited(await mustRead(tx, clientId)),
        ];
        if (JSON.stringify(was) === JSON.stringify(is)) return;
        await recordAct(tx, by, {
          action: 'oauth.putClient',
          target: pathOf(clientId),
          before: was,
          after: is,
        });
      }),
  };
}

const pathOf = (clientId: string): string => `/oauth/clients/${clientId}`;

async function read(
  db: Pick<NodePgDatabase, 'select'>,
  clientId: string,
  lock?: 'lock',
): Promise<ClientWithSecrets | undefined> {
  const query = db.select().from(client).where(eq(client.clientId, clientId));
  const [row] = await (lock ? query.for('no key update') : query);
  if (!row) return undefined;
  const secrets = await db
    .select({
      fingerprint: sql<string>`left(${secret.sha256}, 8)`,
      createdAt: secret.createdAt,
      expiresAt: secret.expiresAt,
      lastUsedAt: secret.lastUsedAt,
    })
    .from(secret)
    .where(and(eq(secret.clientId, clientId), works))
    .orderBy(desc(secret.createdAt));
  return { ...row, secrets };
}

async function mustRead(tx: Transaction, clientId: string): Promise<ClientWithSecrets> {
  const found = await read(tx, clientId);
  if (!found) throw new Error(`the client ${clientId} is gone in the middle of its change`);
  return found;
}

/** An end that is already set is never put off. */
async function endSecrets(tx: Transaction, clientId: string, graceSeconds: number): Promise<void> {
  const ended = graceSeconds === 0 ? undefined : lte(secret.expiresAt, now);
  await tx.delete(secret).where(and(eq(secret.clientId, clientId), ended));
  await tx
    .update(secret)
    .set({ expiresAt: sql`least(${secret.expiresAt}, now() + ${graceSeconds} * interval '1 second')` })
    .where(eq(secret.clientId, clientId));
}

async function addSecret(tx: Transaction, clientId: string): Promise<string> {
  const clientSecret = newCredential('secret');
  await tx.insert(secret).values({ clientId, sha256: sha256(clientSecret) });
  return clientSecret;
}

function refuseTooMany({ secrets }: ClientWithSecrets): void {
  if (secrets.length < maxSecrets) return;
  throw new ServiceError(
    'conflict',
    `${maxSecrets} secrets of this client still work: rotate with a grace period of 0 to end them, or wait until one ends.`,
  );
}

/** The part of a client that acts change; times of use would make every entry look like a change. */
const audited = ({
  name,
  description,
  scopes,
  isActive,
  tokenLifetimeSeconds,
  secrets,
}: ClientWithSecrets) => ({
  name,
  description,
  scopes,
  isActive,
  tokenLifetimeSeconds,
  secrets: secrets.map(({ fingerprint, expiresAt }) => ({ fingerprint, expiresAt })),
});
