/** Validates link drafts and makes rows of them, with the fingerprint that equal links share. */
import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { type Fault, invalidInput } from '../../runtime/errors.ts';
import { type LinkDraft, linkKinds } from './link.ts';
import { LinkName, LinkUrl, Utm, withUtm } from './link-fields.ts';
import type { NewLinkRow } from './rows.ts';
import { newSlug, Slug, slugKey } from './slug.ts';

const maxDrafts = 10_000;

export interface LinkPlan {
  row: NewLinkRow;
  /** The draft names a slug; otherwise it is generated and replaceable. */
  hasChosenSlug: boolean;
}

const Draft = z.object({
  kind: z.enum(Object.keys(linkKinds)),
  name: LinkName,
  url: LinkUrl,
  utm: Utm.optional(),
  slug: Slug.optional(),
  parentId: z.uuid('must be the id of a campaign or project').optional(),
  reference: z.string().min(1).max(200, 'must have at most 200 characters').optional(),
});

/**
 * @param publicUrl a link to a short link below it is rejected: it could redirect in a circle
 * @throws ServiceError invalid-input with pointers such as `/3/url`; `/url` for a single draft
 */
export function planLinks(drafts: readonly LinkDraft[], publicUrl: string): LinkPlan[] {
  if (drafts.length > maxDrafts)
    throw new RangeError(`at most ${maxDrafts} links can be created at once; there were ${drafts.length}`);
  const faults = drafts.flatMap((draft, index) =>
    faultsOf(draft, publicUrl).map(({ pointer, detail }) => ({
      pointer: drafts.length === 1 ? pointer : `/${index}${pointer}`,
      detail,
    })),
  );
  if (faults.length > 0) throw invalidInput(faults);
  return drafts.map(planOf);
}

function faultsOf(draft: LinkDraft, publicUrl: string): Fault[] {
  const { error } = Draft.safeParse(draft);
  if (error) return error.issues.map(({ path, message }) => ({ pointer: `/${path.join('/')}`, detail: message }));
  const { origin, pathname } = new URL(draft.url);
  const isShortLink = origin === new URL(publicUrl).origin && /(^|\/)r\/[^/]*$/.test(pathname);
  if (!isShortLink) return [];
  return [{ pointer: '/url', detail: 'must not be a short link of this service: it could redirect in a circle' }];
}

function planOf(draft: LinkDraft): LinkPlan {
  const { kind, clientId } = draft;
  const name = draft.name.trim();
  const url = draft.url.trim();
  const utm = Utm.parse(draft.utm ?? {});
  const slug = draft.slug ?? newSlug(kind);
  const expiresAt = draft.expiresAt ?? null;
  const parentId = draft.parentId?.toLowerCase() ?? null;
  const reference = draft.reference ?? null;
  const target = withUtm(new URL(url).href, utm);
  const equal = [kind, name, target, expiresAt?.toISOString() ?? null, parentId, reference];
  return {
    hasChosenSlug: draft.slug !== undefined,
    row: {
      id: uuidv7(),
      kind,
      name,
      url,
      utm,
      target,
      slug,
      slugKey: slugKey(slug),
      parentId,
      reference,
      clientId,
      fingerprint: hash('sha256', JSON.stringify(equal)),
      expiresAt,
    },
  };
}
