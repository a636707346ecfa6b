/** What `validateOnly` and `strict` find in a listing list, photos asked for their first bytes included. */

import { z } from 'zod';
import { findBrands } from '../../../core/domain/brands/brands.ts';
import { createGuardedFetch } from '../../../core/egress/guarded-fetch.ts';
import { sandboxRules } from '../../../core/egress/config.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import type { Finding } from '../../../workers/pdf/lint/finding.ts';
import { lintListings } from '../../../workers/pdf/lint/lint-listings.ts';
import { unavailablePhotos } from '../../../workers/pdf/lint/photo-rules.ts';
import { Listing } from '../../../workers/pdf/listing.ts';
import type { Call } from '../../http/operation.ts';
import type { ApiServices } from '../../services.ts';

export interface ListingTerms {
  list: readonly Listing[];
  onError: 'placeholder' | 'fail';
  strict: boolean;
}

/**
 * The whole check, within a few seconds.
 * @throws ServiceError invalid-input with what would end the job at once
 */
export async function checkListings(
  terms: ListingTerms,
  { services, signal }: Pick<Call, 'services' | 'signal'>,
): Promise<Finding[]> {
  const { EGRESS_ALLOW: rules } = services.config;
  const allow = rules.length > 0 ? rules : sandboxRules(services.config);
  const fetcher = createGuardedFetch({ allow, logger: services.logger });
  const dead = await unavailablePhotos(terms.list, fetcher, signal).finally(() => fetcher.close());
  const findings = [...lintListings(terms.list), ...dead];
  refuseErrors(terms, findings);
  if (terms.onError === 'fail') {
    const faults = findings
      .filter(({ code }) => code === 'photo-address' || code === 'photo-dead')
      .map(({ pointer, detail }) => ({ pointer, detail }));
    if (faults.length > 0) {
      throw new ServiceError('invalid-input', 'The PDF could not have all of its photos.', { faults });
    }
  }
  return findings;
}

/** Before a job is made: only what takes no time. @throws ServiceError invalid-input */
export function refuseLintErrors(terms: ListingTerms): void {
  if (terms.strict) refuseErrors(terms, lintListings(terms.list));
}

function refuseErrors({ strict }: ListingTerms, findings: readonly Finding[]): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (!strict || errors.length === 0) return;
  const faults = errors.map(({ pointer, detail }) => ({ pointer, detail }));
  throw new ServiceError(
    'invalid-input',
    'The listings have errors that no advert may have; mend them, or send the request without `strict`.',
    { faults },
  );
}

/** @throws ServiceError with the names that would do */
export async function checkBrand(brand: string | undefined, config: ApiServices['config']): Promise<void> {
  if (brand === undefined) return;
  const brands = [...(await findBrands(config)).keys()];
  if (brands.includes(brand)) return;
  const known =
    brands.length === 0 ? 'there is none besides the house’s own' : `known are ${brands.join(', ')}`;
  throw new ServiceError('invalid-input', 'The PDF’s brand is not known.', {
    faults: [{ pointer: '/brand', detail: `no brand has this name; ${known}` }],
  });
}

const namedIds = (field: string) =>
  z.object({ list: z.array(z.object({ [field]: Listing.shape.crm_id.catch('') })) });

/** By the field's name, which is a setting: making a schema takes longer than using it. */
const schemas = new Map<string, ReturnType<typeof namedIds>>();

/** The portal may send the CRM's id under a name of its own; `crm_id` itself goes first. */
export function withCrmIds(list: readonly Listing[], body: unknown, field: string): Listing[] {
  const schema = schemas.get(field) ?? namedIds(field);
  schemas.set(field, schema);
  const named = schema.parse(body);
  return list.map((listing, index) => ({
    ...listing,
    crm_id: listing.crm_id || (named.list[index]?.[field] ?? ''),
  }));
}
