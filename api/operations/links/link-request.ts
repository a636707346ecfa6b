/** A new link in a request: as a JSON body or as query parameters. */
import { z } from 'zod';
import { ExpiresAt, LinkName, LinkUrl, Utm, utmNames } from '../../../core/domain/links/link-fields.ts';
import { Slug } from '../../../core/domain/links/slug.ts';
import { type Fault, invalidInput } from '../../../core/runtime/errors.ts';
import { QueryBoolean } from '../../http/input-fields.ts';

const descriptions = {
  name: 'Shown in lists and analytics, such as `Palm launch, Instagram`.',
  url: 'The destination: an absolute http or https address. Its query is copied unchanged.',
  slug: 'Last segment of the short link: letters, digits and hyphens. Default: generated.',
  expiresAt: 'From this time the link answers 410.',
  findExisting:
    'Answer 200 with the oldest live link of the same name, target, expiry and parent (and slug, where given), if one exists.',
};

const ParentId = z
  .uuid('must be the id of a campaign or project')
  .describe('The campaign or project whose analytics include the clicks on this link.');

export const LinkBody = z
  .object({
    name: LinkName.describe(descriptions.name),
    url: LinkUrl.describe(descriptions.url),
    slug: Slug.optional().describe(descriptions.slug),
    utm: Utm.optional().describe('Added to the query of `url` as `utm_source`, `utm_medium` and so on.'),
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

/** None is required, because a request may have a body instead. */
export const LinkQuery = z
  .object({
    name: LinkName.describe(descriptions.name),
    url: LinkUrl.describe(`${descriptions.url} Percent-encoded, like every parameter.`),
    slug: Slug.describe(descriptions.slug),
    utm_source: utmParameter('source'),
    utm_medium: utmParameter('medium'),
    utm_campaign: utmParameter('campaign'),
    utm_term: utmParameter('term'),
    utm_content: utmParameter('content'),
    expiresAt: ExpiresAt.describe(descriptions.expiresAt),
    parentId: ParentId,
    findExisting: QueryBoolean.describe(descriptions.findExisting),
  })
  .partial();
type LinkQuery = z.infer<typeof LinkQuery>;

/** @throws ServiceError invalid-input when both or neither of query and body are given, or name or url is missing */
export function requestedLink(query: LinkQuery, body: LinkBody | undefined): LinkBody {
  const inQuery = Object.keys(query);
  if (body === undefined) return fromQuery(query);
  if (inQuery.length === 0) return body;
  throw invalidInput(
    inQuery.map(name => ({
      pointer: `/${name}`,
      detail: 'must not be sent together with a JSON body',
      in: 'query',
    })),
    'Send the link as query parameters or as a JSON body, not as both.',
  );
}

function fromQuery(query: LinkQuery): LinkBody {
  const { name, url, slug, expiresAt, parentId, findExisting = false } = query;
  if (name !== undefined && url !== undefined) {
    const utm = Object.fromEntries(
      utmNames.flatMap(each => (query[`utm_${each}`] === undefined ? [] : [[each, query[`utm_${each}`]]])),
    );
    return { name, url, slug, utm, expiresAt, parentId, findExisting };
  }
  const missing = Object.entries({ name, url }).flatMap(([field, value]): Fault[] =>
    value === undefined ? [{ pointer: `/${field}`, detail: 'is missing', in: 'query' }] : [],
  );
  throw invalidInput(missing, 'Send name and url, as query parameters or as a JSON body.');
}
