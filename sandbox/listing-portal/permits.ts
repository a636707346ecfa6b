/** `GET /v1/compliances/{permit}/{licence}`: the regulator's data of an advertising permit. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createRandom } from '../kit/random.ts';
import { parsed } from './locations.ts';
import { notFound } from './problem.ts';

const PermitQuery = z.object({ permitType: z.enum(['rera', 'dtcm', 'adrec']) });
type PermitType = z.output<typeof PermitQuery>['permitType'];

/** Each number of these forms exists here; one in ten has expired. */
const forms: Readonly<Record<PermitType, RegExp>> = {
  rera: /^71\d{8,9}$/,
  dtcm: /^[A-Z]{3}-[A-Z]{3}-[A-Z0-9]{4}$/,
  adrec: /^20\d{10,12}(?:-\d{1,3})?$/,
};

export interface SandboxPermit {
  permitNumber: string;
  size: number;
  roomsCount: string;
  value: number;
  listingType: 'sale' | 'rent';
  locationName: string;
  /** The project number of an off-plan project. */
  projectNumber?: string;
}

/** The permits of the sample listings, with the values that the samples advertise. */
export const seedPermits = (): SandboxPermit[] => [
  permit('7116777484', 'Palm Jumeirah', { value: 14_750_000, size: 6_240, roomsCount: '5' }),
  permit('71401234567', 'Arabian Ranches', { value: 6_900_000, size: 4_285, roomsCount: '4' }),
  { ...permit('7116780021', 'Dubai Marina', { value: 185_000, size: 1_312.5, roomsCount: '2' }), listingType: 'rent' },
  permit('7116801123', 'Downtown Dubai', { value: 21_500_000, size: 5_120.75, roomsCount: '4' }),
  {
    ...permit('7116790417', 'Dubai Creek Harbour', { value: 2_150_000, size: 742, roomsCount: '1' }),
    projectNumber: '2871',
  },
];

const permit = (
  permitNumber: string,
  locationName: string,
  registered: Pick<SandboxPermit, 'value' | 'size' | 'roomsCount'>,
): SandboxPermit => ({ permitNumber, ...registered, listingType: 'sale', locationName });

export interface PermitRequest {
  Params: { permit: string; licence: string };
  Querystring: unknown;
}

/** @param known the permit when its values are not random */
export function findPermit(
  { permit: permitNumber, licence }: PermitRequest['Params'],
  query: unknown,
  known: SandboxPermit | undefined,
): object {
  const { permitType } = parsed(PermitQuery, query);
  if (!forms[permitType].test(permitNumber)) throw notFound(`No permit ${permitNumber} of the licence ${licence}`);
  const found = known ?? randomPermit(permitNumber);
  const { size, roomsCount, value, listingType, locationName, projectNumber } = found;
  const random = createRandom(`permit ${permitNumber}`);
  const hasExpired = permitNumber.endsWith('0');
  return {
    status: 'success',
    data: [
      {
        permitNumber,
        permitStatusId: hasExpired ? 3 : 1,
        startedAt: '2025-07-01T00:00:00Z',
        expiresAt: hasExpired ? '2026-01-01T00:00:00Z' : '2099-12-31T00:00:00Z',
        validationURL: validationUrl(permitNumber),
        property: {
          permitType,
          id: random.whole(100_000, 999_999),
          unitNumber: String(random.whole(101, 4_299)),
          size,
          listingType,
          roomsCount,
          locationName,
          value,
        },
        project: projectNumber === undefined ? {} : { number: projectNumber },
      },
    ],
  };
}

/** As the regulator's, with a token that does not contain the number, on a host that does not exist. */
function validationUrl(permitNumber: string): string {
  const token = createHash('sha256').update(permitNumber).digest('hex').slice(0, 48);
  return `https://trakheesi.example/rev/madmoun/listing/validation?khevJujtDig=${token}`;
}

function randomPermit(permitNumber: string): SandboxPermit {
  const random = createRandom(`values of permit ${permitNumber}`);
  return {
    permitNumber,
    size: random.whole(450, 9_000),
    listingType: random.pick(['sale', 'rent']),
    roomsCount: String(random.whole(0, 6)),
    locationName: random.pick(['Dubai Marina', 'Downtown Dubai', 'Palm Jumeirah', 'Business Bay']),
    value: random.whole(600, 20_000) * 1_000,
  };
}
