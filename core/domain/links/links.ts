/**
 * Creates and finds short links, for operations, SMS and brochures.
 *
 *   const links = createLinks(database, publicUrl);
 *   const [made] = await links.create(
 *     [{ kind: 'sms', name: 'Viewing reminder', url, parentId: campaignId, reference: messageId, clientId }],
 *     { findExisting: true },
 *   );
 *   made.link.shortUrl  // https://portal.example/r/k7h2m9x4c
 *
 * A job should set `findExisting` and a `reference` of its own: a second attempt then gets the same links.
 */
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { invalidInput, ServiceError } from '../../runtime/errors.ts';
import { clickTotals, familyClickTotals } from './click-analytics.ts';
import { type LinkDraft, shortUrlOf } from './link.ts';
import { type LinkPlan, planLinks } from './link-plan.ts';
import {
  childrenOf,
  findLink,
  insertLinks,
  type Link,
  type LinkFilter,
  type LinkRow,
  listLinks,
  liveLinksWith,
  lockEqualLinks,
  parentsAmong,
} from './rows.ts';
import { newSlug } from './slug.ts';

export type Links = ReturnType<typeof createLinks>;

const shownChildren = 100;
/** A generated slug is taken with a chance of one in thousands. */
const slugRounds = 5;

export function createLinks(db: NodePgDatabase, publicUrl: string) {
  const asLink = ({ fingerprint, slugKey, ...row }: LinkRow): Link => ({
    ...row,
    shortUrl: shortUrlOf(row.slug, publicUrl),
  });
  return {
    /**
     * Creates up to 10,000 links, all or none.
     * @param options.findExisting returns the oldest live link with the same kind, name, target, expiry, parent and
     * reference (and slug, where given) instead of creating another
     * @returns in the order of the drafts; `created` is false for an existing link
     * @throws ServiceError invalid-input with every fault of every draft; conflict when a chosen slug is taken
     */
    async create(
      drafts: readonly LinkDraft[],
      { findExisting = false }: { findExisting?: boolean } = {},
    ): Promise<{ link: Link; created: boolean }[]> {
      const plans = planLinks(drafts, publicUrl);
      return await db.transaction(async tx => {
        await requireParents(tx, plans);
        const made = await (findExisting ? makeOrFind(tx, plans) : make(tx, plans));
        return made.map(({ row, created }) => ({ link: asLink(row), created }));
      });
    },

    async find(id: string): Promise<Link | undefined> {
      const row = await findLink(db, id);
      return row && asLink(row);
    },

    /** Newest first, each with its first 100 child links and the number of all. */
    async list(filter: LinkFilter) {
      const parents = await listLinks(db, filter);
      const ids = parents.map(({ id }) => id);
      const children = await childrenOf(db, ids, shownChildren);
      return parents.map(parent => {
        const own = children.filter(({ parentId }) => parentId === parent.id);
        return {
          ...asLink(parent),
          children: own.map(({ siblings, ...row }) => asLink(row)),
          childCount: own[0]?.siblings ?? 0,
        };
      });
    },

    clicks: (ids: readonly string[]) => clickTotals(db, ids),
    familyClicks: (ids: readonly string[]) => familyClickTotals(db, ids),
  };
}

interface MadeRow {
  row: LinkRow;
  created: boolean;
}

async function makeOrFind(tx: NodePgDatabase, plans: readonly LinkPlan[]): Promise<MadeRow[]> {
  await lockEqualLinks(tx);
  const live = await liveLinksWith(
    tx,
    plans.map(({ row }) => row.fingerprint),
  );
  const found = new Map<string, LinkRow>();
  for (const row of live.toReversed()) {
    found.set(row.fingerprint, row);
    found.set(row.fingerprint + row.slugKey, row);
  }
  // Equal drafts share one new link.
  const missing = new Map(plans.filter(plan => !found.has(keyOf(plan))).map(plan => [keyOf(plan), plan]));
  const made = await make(tx, [...missing.values()]);
  const created = new Map([...missing.keys()].map((key, index) => [key, made[index]]));
  return plans.map(plan => {
    const existing = found.get(keyOf(plan));
    const fresh = created.get(keyOf(plan));
    if (existing) return { row: existing, created: false };
    if (!fresh) throw new Error('a new link is missing from the inserted rows');
    return { row: fresh.row, created: missing.get(keyOf(plan)) === plan };
  });
}

/** Equal drafts have equal keys; a draft without a slug equals a link with any slug. */
const keyOf = ({ row, hasChosenSlug }: LinkPlan): string =>
  hasChosenSlug ? row.fingerprint + row.slugKey : row.fingerprint;

async function make(tx: NodePgDatabase, plans: readonly LinkPlan[]): Promise<MadeRow[]> {
  const made = new Map<string, LinkRow>();
  let left = [...plans];
  for (let round = 0; left.length > 0 && round < slugRounds; round++) {
    const inserted = await insertLinks(
      tx,
      left.map(({ row }) => row),
    );
    for (const row of inserted) made.set(row.id, row);
    left = left.filter(({ row }) => !made.has(row.id));
    const taken = left.find(plan => plan.hasChosenSlug);
    if (taken) throw slugTaken(taken.row.slug);
    left = left.map(({ row }) => {
      const slug = newSlug(row.kind);
      return { row: { ...row, slug, slugKey: slug }, hasChosenSlug: false };
    });
  }
  return plans.map(plan => {
    const row = made.get(plan.row.id);
    if (!row) throw new Error(`no free slug in ${slugRounds} rounds`);
    return { row, created: true };
  });
}

async function requireParents(tx: NodePgDatabase, plans: readonly LinkPlan[]): Promise<void> {
  const wanted = [...new Set(plans.flatMap(({ row }) => row.parentId ?? []))];
  const known = await parentsAmong(tx, wanted);
  if (wanted.every(id => known.has(id))) return;
  const detail = 'must be the id of a campaign or project that has no parent itself';
  throw invalidInput([{ pointer: '/parentId', detail }]);
}

const slugTaken = (slug: string): ServiceError =>
  new ServiceError('conflict', `The slug ${slug} is taken; choose another one, or omit it.`);
