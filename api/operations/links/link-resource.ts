/** Short links in API responses. */
import { z } from 'zod';
import { linkKinds } from '../../../core/domain/links/link.ts';
import { Utm } from '../../../core/domain/links/link-fields.ts';
import type { Link } from '../../../core/domain/links/rows.ts';
import type { ApiServices } from '../../services.ts';

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
    id: z.string().describe('The link’s id.'),
    kind: z.enum(Object.keys(linkKinds)).describe('Kind of link.'),
    name: z.string().describe('Name in lists and analytics.'),
    url: z.string().describe('The destination.'),
    slug: z.string().describe('Last segment of the short link.'),
    shortUrl: z.string().describe('The short link.'),
    qrUrl: z.string().describe('The QR code as SVG; as PNG with `?format=png&size=800`.'),
    utm: z.object(Utm.shape).describe('The UTM parameters of the target.'),
    target: z.string().describe('Redirect target: `url` with the UTM parameters.'),
    parentId: z.string().nullable().describe('The campaign or project whose analytics include its clicks.'),
    reference: z.string().nullable().describe('Links that the service creates: what the link is about.'),
    createdAt: z.iso.datetime().describe('When the link was created.'),
    expiresAt: z.iso.datetime().nullable().describe('When the link expires; null: never.'),
  })
  .meta({ id: 'Link', examples: [linkExample] });
export type LinkResource = z.infer<typeof LinkResource>;

export function linkResource(link: Link, { address }: Pick<ApiServices, 'address'>): LinkResource {
  const { id, kind, name, url, slug, shortUrl, utm, target, parentId, reference } = link;
  return {
    id,
    kind,
    name,
    url,
    slug,
    shortUrl,
    qrUrl: `${address.url}/apps/links/v1/${linkKinds[kind]}/${id}/qr`,
    utm,
    target,
    parentId,
    reference,
    createdAt: link.createdAt.toISOString(),
    expiresAt: link.expiresAt?.toISOString() ?? null,
  };
}
