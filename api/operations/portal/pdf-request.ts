/** Checks of a PDF request beyond its schema: brand, listing rules, photos; and the CRM ids of its listings. */
import { z } from 'zod';
import { findBrands } from '../../../core/domain/brands/brands.ts';
import { sandboxRules } from '../../../core/egress/config.ts';
import { createGuardedFetch } from '../../../core/egress/guarded-fetch.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import type { Finding } from '../../../workers/pdf/lint/finding.ts';
import { lintListings } from '../../../workers/pdf/lint/lint-listings.ts';
import { unavailablePhotos } from '../../../workers/pdf/lint/photo-rules.ts';
import { Listing } from '../../../workers/pdf/listing.ts';
import type { Call } from '../../http/operation.ts';
import type { ApiServices } from '../../services.ts';

interface CheckedRequest {
  list: readonly Listing[];
  onError: 'placeholder' | 'fail';
  strict: boolean;
}

/** @throws ServiceError invalid-input with the known names */
export async function checkBrand(brand: string | undefined, config: ApiServices['config']): Promise<void> {
  if (brand === undefined) return;
  const brands = [...(await findBrands(config)).keys()];
  if (brands.includes(brand)) return;
  const known = brands.length === 0 ? 'there is only the company’s own brand' : `known are ${brands.join(', ')}`;
  throw new ServiceError('invalid-input', `The brand ${brand} does not exist.`, {
    faults: [{ pointer: '/brand', detail: `no brand has this name; ${known}` }],
  });
}

/**
 * The full check for `validateOnly`; requests the first bytes of the photos, which takes up to a few seconds.
 * @throws ServiceError invalid-input with the faults that would fail the job
 */
export async function checkListings(
  request: CheckedRequest,
  { services, signal }: Pick<Call, 'services' | 'signal'>,
): Promise<Finding[]> {
  const { EGRESS_ALLOW: rules } = services.config;
  const allow = rules.length > 0 ? rules : sandboxRules(services.config);
  const fetcher = createGuardedFetch({ allow, logger: services.logger });
  const unavailable = await unavailablePhotos(request.list, fetcher, signal).finally(() => fetcher.close());
  const findings = [...lintListings(request.list), ...unavailable];
  if (request.strict) rejectErrors(findings);
  if (request.onError === 'fail') {
    const faults = findings
      .filter(({ code }) => code === 'photo-address' || code === 'photo-dead')
      .map(({ pointer, detail }) => ({ pointer, detail }));
    if (faults.length > 0) {
      throw new ServiceError('invalid-input', 'Some photos are not available.', { faults });
    }
  }
  return findings;
}

/** The checks before a job starts, without network access. @throws ServiceError invalid-input */
export function checkStrict({ strict, list }: CheckedRequest): void {
  if (strict) rejectErrors(lintListings(list));
}

function rejectErrors(findings: readonly Finding[]): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  throw new ServiceError(
    'invalid-input',
    'The listings have errors; correct them, or send the request without `strict`.',
    { faults: errors.map(({ pointer, detail }) => ({ pointer, detail })) },
  );
}

const idsSchema = (field: string) => z.object({ list: z.array(z.object({ [field]: Listing.shape.crm_id.catch('') })) });

/** By field name (LISTING_CRM_ID_FIELD): building a schema takes longer than using it. */
const schemas = new Map<string, ReturnType<typeof idsSchema>>();

/** Fills empty `crm_id`s from the field name that the portal uses. */
export function withCrmIds(list: readonly Listing[], body: unknown, field: string): Listing[] {
  const schema = schemas.get(field) ?? idsSchema(field);
  schemas.set(field, schema);
  const ids = schema.parse(body);
  return list.map((listing, index) => ({
    ...listing,
    crm_id: listing.crm_id || (ids.list[index]?.[field] ?? ''),
  }));
}
