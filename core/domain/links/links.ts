/**
 * Short links, made and found by whoever needs them: the API's operations, messages to clients, brochures.
 *
 *   const links = createLinks(database, publicUrl);
 *   const [made] = await links.create(
 *     [{ kind: 'sms', name: 'Viewing reminder', url, parentId: campaignId, reference: messageId, clientId }],
 *     { findExisting: true },
 *   );
 *   made.link.shortUrl  // https://portal.example/r/k7h2m9x4c
 *
 * A job should always set `findExisting`, with an id of its own in `reference`: run twice, it gets the same links.
 */
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { ServiceError } from '../../runtime/errors.ts';
import { clickTotals, familyClickTotals } from './click-analytics.ts';
import { type ClickTotals, type Link, type LinkDraft, shortUrlOf } from './link.ts';
import { type LinkPlan, planLinks } from './link-plan.ts';
import {
  childrenOf,
  findLink,
  insertLinks,
  type LinkFilter,
  type LinkRow,
  listLinks,
  liveLinksWith,
  lockEqualLinks,
  parentsAmong,
} from './rows.ts';
import { newSlug } from './slug.ts';

/** Of one draft. */
export interface MadeLink {
  link: Link;
  /** False: there was an equal one. */
  created: boolean;
}

/** A campaign or project with the first of the links that belong to it. */
export interface LinkWithChildren extends Link {
  children: Link[];
  /** How many there are in all. */
  childCount: number;
}

export interface Links {
  /**
   * Makes up to 10,000 links, all or none.
   * @returns in the order of the drafts
   * @throws ServiceError invalid-input telling every fault of every draft, with pointers such as `/3/url` (`/url` where
   * there is one draft); conflict when a chosen slug is taken
   */
  create(
    drafts: readonly LinkDraft[],
    options?: {
      /**
       * Answers with the oldest live link of the same kind, name, target, expiry, parent and reference, and slug where
       * one is given, instead of making another.
       */
      findExisting?: boolean;
    },
  ): Promise<MadeLink[]>;
  find(id: string): Promise<Link | undefined>;
  /** Newest first. */
  list(filter: LinkFilter): Promise<LinkWithChildren[]>;
  /** A link that was never opened has no entry. */
  clicks(ids: readonly string[]): Promise<Map<string, ClickTotals>>;
  /** The same of each link together with all that belong to it. */
  familyClicks(ids: readonly string[]): Promise<Map<string, ClickTotals>>;
}

const shownChildren = 100;
/** That a made slug is taken is a chance of one in thousands; five times in a row it is none. */
const slugRounds = 5;

export function createLinks(db: NodePgDatabase, publicUrl: string): Links {
  const asLink = ({ fingerprint, slugKey, ...row }: LinkRow): Link => ({
    ...row,
    shortUrl: shortUrlOf(row.slug, publicUrl),
  });
  return {
    async create(drafts, { findExisting = false } = {}) {
      const plans = planLinks(drafts, publicUrl);
      return await db.transaction(async tx => {
        await requireParents(tx, plans);
        const made = await (findExisting ? makeOrFind(tx, plans) : make(tx, plans));
        return made.map(({ row, created }) => ({ link: asLink(row), created }));
      });
    },

    async find(id) {
      const row = await findLink(db, id);
      return row && asLink(row);
    },

    async list(filter) {
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

    clicks: ids => clickTotals(db, ids),
    familyClicks: ids => familyClickTotals(db, ids),
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
  // Drafts that are equal to each other get one link, too.
  const missing = new Map(plans.filter(plan => !found.has(keyOf(plan))).map(plan => [keyOf(plan), plan]));
  const made = await make(tx, [...missing.values()]);
  const created = new Map([...missing.keys()].map((key, index) => [key, made[index]]));
  return plans.map(plan => {
    const existing = found.get(keyOf(plan));
    const fresh = created.get(keyOf(plan));
    if (existing) return { row: existing, created: false };
    if (!fresh) throw new Error('a link that was just made is not there');
    return { row: fresh.row, created: missing.get(keyOf(plan)) === plan };
  });
}

/** Two drafts of the same key are equal; a draft that names no slug is equal to a link with any. */
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
      const slug = newSlug();
      return { row: { ...row, slug, slugKey: slug }, hasChosenSlug: false };
    });
  }
  return plans.map(plan => {
    const row = made.get(plan.row.id);
    if (!row) throw new Error('no free slug was found');
    return { row, created: true };
  });
}

async function requireParents(tx: NodePgDatabase, plans: readonly LinkPlan[]): Promise<void> {
  const wanted = [...new Set(plans.flatMap(({ row }) => row.parentId ?? []))];
  const known = await parentsAmong(tx, wanted);
  if (wanted.every(id => known.has(id))) return;
  throw new ServiceError('invalid-input', 'The input has one fault.', {
    faults: [
      { pointer: '/parentId', detail: 'must be the id of a campaign or project that belongs to no other' },
    ],
  });
}

const slugTaken = (slug: string): ServiceError =>
  new ServiceError('conflict', `The slug ${slug} is taken; choose another, or leave it out and get one.`);
