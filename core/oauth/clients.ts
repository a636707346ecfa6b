/** Administration of OAuth clients in PostgreSQL; each change and its audit entry are one transaction. */
import { randomUUID } from 'node:crypto';
import { and, desc, eq, gt, gte, inArray, isNull, lt, lte, max, or, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { recordAuditEntry } from '../postgres/audit.ts';
import { auditTable as audit } from '../postgres/schema.ts';
import type { Actor } from '../runtime/actor.ts';
import { ServiceError } from '../runtime/errors.ts';
import { newCredential, sha256 } from './credentials.ts';
import { oauthClientTable as client, oauthSecretTable as secret, oauthTokenTable as token } from './schema.ts';
import type { OauthClient } from './tokens.ts';

export type ClientWithSecrets = NonNullable<Awaited<ReturnType<typeof read>>>;

/** The secret is returned only here: the database stores its hash. */
export type ClientWithNewSecret = ClientWithSecrets & { clientSecret: string };

export type NewClient = Pick<OauthClient, 'name' | 'description' | 'scopes' | 'tokenLifetimeSeconds'>;

/**
 * Called with the locked client before a change; throws to reject the change.
 * @param heldScopes the scopes that the client has, or had since its last secret was issued
 */
export type Permit = (current: OauthClient, heldScopes: readonly string[]) => void;

type Transaction = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];

export type OauthClients = ReturnType<typeof createOauthClients>;

/** Active secrets of a client, the new one included. */
const maxSecrets = 5;

const now = sql`now()`;
const isActive = or(isNull(secret.expiresAt), gt(secret.expiresAt, now));

export function createOauthClients(db: NodePgDatabase) {
  return {
    /** The newest first, beginning after `after`. */
    list: (limit: number, after?: Position): Promise<OauthClient[]> =>
      db
        .select()
        .from(client)
        .where(after && isAfter(after))
        .orderBy(desc(client.createdAt), desc(client.clientId))
        .limit(limit),

    find: (clientId: string) => read(db, clientId),

    create: (given: NewClient, by: Actor) => db.transaction(tx => create(tx, given, by)),

    /** Creates a client for which only the service issues tokens, unless it exists. @returns the stored client */
    createWithoutSecret: (given: NewClient & Pick<OauthClient, 'clientId'>, by: Actor) =>
      db.transaction(async tx => {
        const created = await tx.insert(client).values(given).onConflictDoNothing().returning({ id: client.clientId });
        const stored = await readExisting(tx, given.clientId);
        if (created.length > 0) await recordCreation(tx, stored, by);
        return stored;
      }),

    /** Revokes the client's tokens when `isActive` changes or a scope is removed. @returns undefined when there is no such client */
    replace: (clientId: string, given: NewClient & Pick<OauthClient, 'isActive'>, by: Actor, permit?: Permit) =>
      change(db, { action: 'oauth.replaceClient', clientId, by, permit }, async (tx, before) => {
        await tx.update(client).set(given).where(eq(client.clientId, clientId));
        await revokeTokens(tx, before, given);
      }),

    /** @returns undefined when there is no such client */
    deactivate: (clientId: string, by: Actor, permit?: Permit) =>
      setActive(db, false, { action: 'oauth.deactivateClient', clientId, by, permit }),

    /** @returns undefined when there is no such client */
    reactivate: (clientId: string, by: Actor) =>
      setActive(db, true, { action: 'oauth.reactivateClient', clientId, by }),

    /**
     * Adds a secret; the others stay active for the grace period, or until their earlier end.
     * @returns undefined when there is no such client
     * @throws ServiceError conflict when the client would have more than 5 active secrets
     */
    async rotateSecret(
      clientId: string,
      graceSeconds: number,
      by: Actor,
      permit?: Permit,
    ): Promise<ClientWithNewSecret | undefined> {
      let clientSecret = '';
      const rotation = { action: 'oauth.rotateSecret', clientId, by, permit };
      const changed = await change(db, rotation, async (tx, before) => {
        if (graceSeconds > 0) rejectTooMany(before);
        await endSecrets(tx, clientId, graceSeconds);
        clientSecret = await addSecret(tx, clientId);
      });
      return changed && { ...changed, clientSecret };
    },

    /** Creates the client, or updates its scopes and secret; deletes its other secrets. */
    put: (given: ConfiguredClient, by: Actor): Promise<void> => db.transaction(tx => put(tx, given, by)),
  };
}

async function create(tx: Transaction, given: NewClient, by: Actor): Promise<ClientWithNewSecret> {
  const clientId = randomUUID();
  await tx.insert(client).values({ ...given, clientId });
  const clientSecret = await addSecret(tx, clientId);
  const created = await readExisting(tx, clientId);
  await recordCreation(tx, created, by);
  return { ...created, clientSecret };
}

function recordCreation(tx: Transaction, created: ClientWithSecrets, by: Actor): Promise<void> {
  const entry = { target: pathOf(created.clientId), before: null, after: audited(created) };
  return recordAuditEntry(tx, by, { action: 'oauth.createClient', ...entry });
}

type ConfiguredClient = Pick<OauthClient, 'clientId' | 'name' | 'scopes'> & { clientSecret: string };

type Position = Pick<OauthClient, 'createdAt' | 'clientId'>;

const isAfter = ({ createdAt, clientId }: Position) =>
  or(lt(client.createdAt, createdAt), and(eq(client.createdAt, createdAt), lt(client.clientId, clientId)));

interface Change {
  action: string;
  clientId: string;
  by: Actor;
  permit?: Permit | undefined;
}

const setActive = (db: NodePgDatabase, isActive: boolean, given: Change) =>
  change(db, given, async (tx, before) => {
    await tx.update(client).set({ isActive }).where(eq(client.clientId, given.clientId));
    await revokeTokens(tx, before, { ...before, isActive });
  });

/** Also on reactivation and when a scope is removed: the token must not become valid again, or get the scope back. */
async function revokeTokens(tx: Transaction, before: OauthClient, after: Pick<OauthClient, 'isActive' | 'scopes'>) {
  const isNarrowed = before.scopes.some(scope => !after.scopes.includes(scope));
  if (isNarrowed || before.isActive !== after.isActive)
    await tx.delete(token).where(eq(token.clientId, before.clientId));
}

/** Read from the audit trail, which is append-only and complete: each change writes its entry in its transaction. */
async function heldScopes(tx: Transaction, { clientId, scopes }: OauthClient): Promise<string[]> {
  const ofClient = eq(audit.target, pathOf(clientId));
  const [issue] = await tx
    .select({ id: max(audit.id) })
    .from(audit)
    .where(and(ofClient, inArray(audit.action, ['oauth.createClient', 'oauth.rotateSecret'])));
  const since = await tx
    .select({ scopes: sql<string[]>`${audit.after}->'scopes'` })
    .from(audit)
    .where(and(ofClient, gte(audit.id, issue?.id ?? 0)));
  return [...new Set([scopes, ...since.map(entry => entry.scopes)].flat())];
}

/** Runs a change with the client locked, and records it in the audit log. */
function change(
  db: NodePgDatabase,
  { action, clientId, by, permit }: Change,
  run: (tx: Transaction, before: ClientWithSecrets) => Promise<void>,
): Promise<ClientWithSecrets | undefined> {
  return db.transaction(async tx => {
    const before = await read(tx, clientId, 'lock');
    if (!before) return undefined;
    permit?.(before, await heldScopes(tx, before));
    await run(tx, before);
    const after = await readExisting(tx, clientId);
    const entry = { target: pathOf(clientId), before: audited(before), after: audited(after) };
    await recordAuditEntry(tx, by, { action, ...entry });
    return after;
  });
}

async function put(
  tx: Transaction,
  { clientId, clientSecret, name, scopes }: ConfiguredClient,
  by: Actor,
): Promise<void> {
  const created = await tx
    .insert(client)
    .values({ clientId, name, scopes })
    .onConflictDoNothing()
    .returning({ clientId: client.clientId });
  const before = await read(tx, clientId, 'lock');
  const sha = sha256(clientSecret);
  await tx.update(client).set({ scopes, isActive: true }).where(eq(client.clientId, clientId));
  if (before) await revokeTokens(tx, before, { isActive: true, scopes });
  await tx.delete(secret).where(and(eq(secret.clientId, clientId), sql`${secret.sha256} <> ${sha}`));
  await tx
    .insert(secret)
    .values({ clientId, sha256: sha })
    .onConflictDoUpdate({ target: [secret.clientId, secret.sha256], set: { expiresAt: null } });
  const entry = {
    before: created.length > 0 || !before ? null : audited(before),
    after: audited(await readExisting(tx, clientId)),
  };
  if (JSON.stringify(entry.before) === JSON.stringify(entry.after)) return;
  await recordAuditEntry(tx, by, { action: 'oauth.putClient', target: pathOf(clientId), ...entry });
}

const pathOf = (clientId: string): string => `/oauth/clients/${clientId}`;

/** With the active secrets, the newest first. */
async function read(db: Pick<NodePgDatabase, 'select'>, clientId: string, lock?: 'lock') {
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
    .where(and(eq(secret.clientId, clientId), isActive))
    .orderBy(desc(secret.createdAt));
  return { ...row, secrets };
}

async function readExisting(tx: Transaction, clientId: string): Promise<ClientWithSecrets> {
  const found = await read(tx, clientId);
  if (!found) throw new Error(`the client ${clientId} disappeared during its change`);
  return found;
}

/** Does not postpone an end that is already set. */
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

function rejectTooMany({ secrets }: ClientWithSecrets): void {
  if (secrets.length < maxSecrets) return;
  throw new ServiceError(
    'conflict',
    `The client has ${maxSecrets} active secrets, the maximum: rotate with a grace period of 0 to end them, or wait until one ends.`,
  );
}

/** The members that a change can affect; with times of use every entry would look like a change. */
const audited = ({ clientId: _id, createdAt: _at, lastUsedAt: _use, ...members }: ClientWithSecrets) => ({
  ...members,
  secrets: members.secrets.map(({ fingerprint, expiresAt }) => ({ fingerprint, expiresAt })),
});
