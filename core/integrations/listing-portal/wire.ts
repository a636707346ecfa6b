/** The listing portal's own shapes (Property Finder Enterprise API 1.0.1), and how they become ours. */
import { z } from 'zod';

export const TokenAnswer = z.object({
  accessToken: z.string().min(1),
  /** Seconds. */
  expiresIn: z.number().positive(),
});

const WireNode = z.object({ id: z.coerce.number().int(), type: z.string(), name: z.string().min(1) });

/** One location as the portal gives it. Its tree runs from the root to the location itself. */
export const WireLocation = WireNode.extend({
  tree: z.array(WireNode).default([]),
  coordinates: z.object({ lat: z.number(), lng: z.number() }).nullish(),
});
export type WireLocation = z.output<typeof WireLocation>;

export const LocationsAnswer = z.object({
  data: z.array(WireLocation),
  pagination: z.object({ total: z.int().min(0), page: z.int(), totalPages: z.int().min(0) }),
});

export const ComplianceAnswer = z.object({
  data: z.array(
    z.object({
      permitNumber: z.coerce.string(),
      startedAt: z.string().nullish(),
      expiresAt: z.string().nullish(),
      validationURL: z.url().nullish(),
    }),
  ),
});

/** RFC 9457, with the portal's word for the sort of error as `type`. */
export const WireProblem = z.object({
  type: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
});

export interface PortalNode {
  id: number;
  /** `city`, `community`, `subcommunity`, `tower` …: the portal's word in lower case. */
  type: string;
  name: string;
}

export interface PortalLocation extends PortalNode {
  /** From the root to the location itself. */
  path: PortalNode[];
  coordinates: { lat: number; lng: number } | null;
}

export interface Permit {
  permitNumber: string;
  startsAt: string | null;
  expiresAt: string | null;
  /** Where anybody can check the permit; null when the portal has none. */
  validationUrl: string | null;
}

const node = ({ id, type, name }: PortalNode): PortalNode => ({
  id,
  type: type.toLowerCase(),
  name: name.trim().replace(/\s+/g, ' '),
});

export function ourLocation(given: WireLocation): PortalLocation {
  const self = node(given);
  const above = given.tree.filter(({ id }) => id !== given.id).map(node);
  return { ...self, path: [...above, self], coordinates: given.coordinates ?? null };
}

export const ourPermit = (given: z.output<typeof ComplianceAnswer>['data'][number]): Permit => ({
  permitNumber: given.permitNumber,
  startsAt: given.startedAt ?? null,
  expiresAt: given.expiresAt ?? null,
  validationUrl: given.validationURL ?? null,
});
