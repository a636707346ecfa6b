/** The listing portal's answers and errors (Property Finder Enterprise API 1.0.1), and their conversion to our types. */
import { z } from 'zod';
import { isHtml, type RawAnswer } from '../kit/call.ts';
import { faultByStatus, readRetryAfter, type VendorFault } from '../kit/fault.ts';
import { rowsIn } from '../kit/read-rows.ts';

export const system = { name: 'listing-portal', title: 'The listing portal' };

export const TokenAnswer = z.object({
  accessToken: z.string().min(1),
  /** Seconds. */
  expiresIn: z.number().positive(),
});

const WireNode = z.object({ id: z.coerce.number().int(), type: z.string(), name: z.string().min(1) });

/** The tree runs from the root to the location itself. */
export const WireLocation = WireNode.extend({
  tree: z.array(WireNode).default([]),
  coordinates: z.object({ lat: z.number(), lng: z.number() }).nullish(),
});
export type WireLocation = z.output<typeof WireLocation>;

export const LocationsAnswer = z.object({
  data: rowsIn({ system, record: 'location', id: 'id' }, WireLocation),
  pagination: z.object({ total: z.int().min(0), page: z.int(), totalPages: z.int().min(0) }),
});

/** Ids are numbers here and texts elsewhere; a draft may have no location. */
export const ListingsAnswer = z.object({
  results: z.array(z.object({ location: z.object({ id: z.coerce.number().int() }).nullish() })),
  pagination: z.object({ nextPage: z.int().nullish() }),
});

/** Numbers of permits, sizes and rooms come as numbers or as text. */
const WireValue = z.union([z.string(), z.number().transform(String)]).nullish();

export const ComplianceAnswer = z.object({
  data: z.array(
    z.object({
      permitNumber: z.coerce.string(),
      startedAt: z.string().nullish(),
      expiresAt: z.string().nullish(),
      validationURL: z.url({ protocol: /^https$/ }).nullish(),
      property: z
        .object({ permitType: WireValue, size: WireValue, roomsCount: WireValue, value: WireValue })
        .partial()
        .nullish(),
      project: z.object({ number: WireValue, developer: WireValue, developerName: WireValue }).partial().nullish(),
    }),
  ),
});

/** RFC 9457, with the portal's error code as `type`. */
const WireProblem = z.object({
  type: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
});

export interface PortalNode {
  id: number;
  /** Such as `city`, `community`, `subcommunity`, `tower`: the portal's type in lower case. */
  type: string;
  name: string;
}

export interface PortalLocation extends PortalNode {
  /** From the root to the location itself. */
  path: PortalNode[];
  coordinates: { lat: number; lng: number } | null;
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

export type Permit = ReturnType<typeof ourPermit>;
export const ourPermit = ({
  permitNumber,
  startedAt,
  expiresAt,
  validationURL,
  property,
  project,
}: z.output<typeof ComplianceAnswer>['data'][number]) => ({
  permitNumber,
  startsAt: startedAt ?? null,
  expiresAt: expiresAt ?? null,
  /** Public page of the regulator that validates the permit; null when the portal has none. */
  validationUrl: validationURL ?? null,
  /** What the permit allows to advertise; '' for values that the portal does not have. */
  registered: {
    /** `rera`, `dtcm` or `adrec`. */
    permitType: property?.permitType ?? '',
    price: property?.value ?? '',
    size: property?.size ?? '',
    bedrooms: property?.roomsCount ?? '',
    projectNumber: project?.number ?? '',
    developer: project?.developerName ?? project?.developer ?? '',
  },
});

/** The portal counts calls by the minute; `Retry-After` is optional in its documentation. */
const waitAfterLimitMs = 5_000;

export function readFault(answer: RawAnswer): VendorFault | undefined {
  const fault = faultByStatus(answer);
  // A web page comes from the CDN, such as a 403, and says nothing about our call: it is transient.
  if (!fault || isHtml(answer)) return fault;
  const { type: code, title, detail: message = title } = WireProblem.catch({}).parse(answer.json());
  return {
    ...fault,
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
    ...(fault.verdict === 'limit' && { retryAfterMs: readRetryAfter(answer) ?? waitAfterLimitMs }),
  };
}
