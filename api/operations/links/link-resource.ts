/** A short link as the API shows it, and how one is asked for. */
import { z } from 'zod';
import { type Link, type LinkKind, linkKinds } from '../../../core/domain/links/link.ts';
import { ExpiresAt, LinkName, LinkUrl, Utm, utmNames } from '../../../core/domain/links/link-fields.ts';
import type { MadeLink } from '../../../core/domain/links/links.ts';
import { Slug } from '../../../core/domain/links/slug.ts';
import { type Fault, ServiceError } from '../../../core/runtime/errors.ts';
import type { Answer, Call } from '../../http/operation.ts';
import type { ApiServices } from '../../services.ts';

const descriptions = {
  name: 'What people read in lists and analytics, such as `Palm launch, Instagram`.',
  url: 'Where the link leads: an absolute http or https address. Its query is kept as it is.',
  slug: 'The end of the short link, in your words; letters, digits and hyphens. Left out: one is made.',
  expiresAt: 'From then on the link is answered with 410.',
  findExisting:
    'Answer 200 with the oldest live link that has the same name, target, expiry and parent (and slug, where one is given), if there is one.',
  parentId:
    'The campaign (or project) that this is a further link of: its analytics tell this link’s clicks, too.',
};

const ParentId = z.uuid('must be the id of a campaign or project').describe(descriptions.parentId);

/** The JSON payload. */
export const LinkBody = z
  .object({
    name: LinkName.describe(descriptions.name),
    url: LinkUrl.describe(descriptions.url),
    slug: Slug.optional().describe(descriptions.slug),
    utm: Utm.optional().describe(
      'Added to the query of the address as `utm_source`, `utm_medium` and so on.',
    ),
    expiresAt: ExpiresAt.optional().describe(descriptions.expiresAt),
    parentId: ParentId.optional(),
    findExisting: z.boolean().default(false).describe(descriptions.findExisting),
  })
  .meta({
    examples: [
      {
        name: 'Palm launch, Instagram',
        url: 'https://meridianpalm.example/palm?lang=en',
        slug: 'palm-launch',
        utm: { source: 'instagram', medium: 'social' },
      },
    ],
  });
export type LinkBody = z.infer<typeof LinkBody>;

const utmParameter = (name: keyof Utm) => Utm.shape[name].describe(`The target’s \`utm_${name}\`.`);

/** The same as query parameters; none is required, because a JSON payload may stand in their place. */
export const LinkQuery = z
  .object({
    name: LinkName.describe(descriptions.name),
    url: LinkUrl.describe(`${descriptions.url} Percent-encoded, as every parameter.`),
    slug: Slug.describe(descriptions.slug),
    utm_source: utmParameter('source'),
    utm_medium: utmParameter('medium'),
    utm_campaign: utmParameter('campaign'),
    utm_term: utmParameter('term'),
    utm_content: utmParameter('content'),
    expiresAt: ExpiresAt.describe(descriptions.expiresAt),
    parentId: ParentId,
    findExisting: z.enum(['true', 'false'], 'must be true or false').describe(descriptions.findExisting),
  })
  .partial();

export const linkExample = {
  id: '0199f3a1-7c55-7a10-b1c5-0d8f4d9f1a20',
  kind: 'campaign',
  name: 'Palm launch, Instagram',
  url: 'https://meridianpalm.example/palm?lang=en',
  slug: 'palm-launch',
  shortUrl: 'https://portal.example/r/palm-launch',
  qrUrl: 'https://portal.example/v2/apps/links/v1/campaigns/0199f3a1-7c55-7a10-b1c5-0d8f4d9f1a20/qr',
  utm: { source: 'instagram', medium: 'social' },
  target: 'https://meridianpalm.example/palm?lang=en&utm_source=instagram&utm_medium=social',
  parentId: null,
  reference: null,
  createdAt: '2026-01-31T08:00:00.000Z',
  expiresAt: null,
};

export const LinkResource = z
  .object({
    id: z.string(),
    kind: z.enum(Object.keys(linkKinds)),
    name: z.string(),
    url: z.string(),
    slug: z.string(),
    shortUrl: z.string(),
    qrUrl: z.string().describe('`GET` it for the QR code as SVG, with `?format=png&size=800` as PNG.'),
    utm: z.object(Utm.shape),
    target: z.string().describe('Where the short link leads: the address with the UTM parameters.'),
    parentId: z.string().nullable(),
    reference: z.string().nullable().describe('What a link that the service made itself is about.'),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable(),
  })
  .meta({
    id: 'Link',
    examples: [linkExample],
  });
export type LinkResource = z.infer<typeof LinkResource>;

export function linkResource(
  link: Link,
  { publicUrl, config }: Pick<ApiServices, 'publicUrl' | 'config'>,
): LinkResource {
  const { id, kind, name, url, slug, shortUrl, utm, target, parentId, reference, createdAt, expiresAt } =
    link;
  return {
    id,
    kind,
    name,
    url,
    slug,
    shortUrl,
    qrUrl: `${publicUrl}${config.BASE_PATH}/apps/links/v1/${linkKinds[kind]}/${id}/qr`,
    utm,
    target,
    parentId,
    reference,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}

/**
 * What was asked for, from whichever of the two ways was used.
 * @throws ServiceError invalid-input when both were, or neither, or something is missing
 */
export function askedLink(query: z.infer<typeof LinkQuery>, body: LinkBody | undefined): LinkBody {
  const inQuery = Object.keys(query);
  if (body === undefined) return fromQuery(query);
  if (inQuery.length === 0) return body;
  throw new ServiceError(
    'invalid-input',
    'The link is told twice: send it as query parameters or as a JSON payload, not as both.',
    {
      faults: inQuery.map(name => ({
        pointer: `/${name}`,
        detail: 'stands beside a JSON payload',
        in: 'query',
      })),
    },
  );
}

function fromQuery(query: z.infer<typeof LinkQuery>): LinkBody {
  const { name, url, slug, expiresAt, parentId, findExisting } = query;
  if (name !== undefined && url !== undefined) {
    const utm = Object.fromEntries(
      utmNames.flatMap(each => (query[`utm_${each}`] === undefined ? [] : [[each, query[`utm_${each}`]]])),
    );
    return { name, url, slug, utm, expiresAt, parentId, findExisting: findExisting === 'true' };
  }
  const missing = Object.entries({ name, url }).flatMap(([field, value]): Fault[] =>
    value === undefined ? [{ pointer: `/${field}`, detail: 'is missing', in: 'query' }] : [],
  );
  throw new ServiceError(
    'invalid-input',
    'Tell the link as query parameters or as a JSON payload: name and url are needed.',
    { faults: missing },
  );
}

/** Makes the link, or finds it. */
export async function createLink(kind: LinkKind, asked: LinkBody, call: Call): Promise<Answer> {
  const { expiresAt, findExisting, ...draft } = asked;
  const { services, client } = call;
  const drafts = [
    {
      ...draft,
      kind,
      clientId: client.clientId,
      expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
    },
  ];
  const [made]: (MadeLink | undefined)[] = await services.links.create(drafts, { findExisting });
  if (!made) throw new Error('no link was made');
  return { status: made.created ? 201 : 200, body: linkResource(made.link, services) };
}
