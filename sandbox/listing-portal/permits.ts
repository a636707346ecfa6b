/** `GET /v1/compliances/{permit}/{licence}`: the regulator's data of an advertising permit. */
import { createRandom } from '../kit/random.ts';
import { notFound } from './problem.ts';

/** Dubai's permits have ten digits and start with 71. Each such number exists here; one in ten has expired. */
export function findPermit(permitNumber: string, licenceNumber: string, permitType = 'rera'): object {
  if (!/^71\d{8}$/.test(permitNumber)) throw notFound(`No permit ${permitNumber} of the licence ${licenceNumber}`);
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
        validationURL: `https://permits.meridianpalm.example/validate/${permitNumber}`,
        property: {
          permitType,
          id: random.whole(100_000, 999_999),
          unitNumber: String(random.whole(101, 4_299)),
          size: random.whole(450, 9_000),
          listingType: random.pick(['sale', 'rent']),
          roomsCount: String(random.whole(0, 6)),
          locationName: random.pick(['Dubai Marina', 'Downtown Dubai', 'Palm Jumeirah', 'Business Bay']),
          value: random.whole(600, 20_000) * 1_000,
        },
        project: {},
      },
    ],
  };
}
