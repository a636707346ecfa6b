/** The stored listings of a job, completed with their permits and checked. */
import { z } from 'zod';
import type { PermitSource } from '../../core/domain/permits/permit-source.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import type { JobInputs } from '../../core/jobs/repository/inputs.ts';
import { invalidInput, ServiceError } from '../../core/runtime/errors.ts';
import type contract from './contract.ts';
import type { Design } from './layout/design.ts';
import { strictErrors } from './lint/finding.ts';
import { printFindings } from './lint/lint-listings.ts';
import { withOfficialPermits } from './lint/official-permits.ts';
import { Listing } from './listing.ts';
import { tidyListing } from './tidy-listing.ts';

export interface ListingServices {
  inputs: Pick<JobInputs, 'get'>;
  permits: PermitSource;
}

/** Cleans their words for a brand that asks for it. @throws ServiceError gone when the stored listings were deleted */
export async function readListings(
  input: string,
  inputs: ListingServices['inputs'],
  { tidy }: Pick<Design, 'tidy'>,
): Promise<Listing[]> {
  const stored = await inputs.get(input);
  if (stored === undefined) {
    throw new ServiceError('gone', 'The listings of this job have been deleted; send the request again.');
  }
  const listings = z.array(Listing).parse(stored);
  return tidy ? listings.map(tidyListing) : listings;
}

/**
 * Reads the listings of a printing job, and warns about what adverts must have.
 * @throws ServiceError gone; invalid-input with `strict`, for the findings that it makes errors
 */
export async function readCheckedListings(
  payload: Pick<z.output<typeof contract.payload>, 'input' | 'strict' | 'warnings'>,
  { permitBrand, tidy }: Pick<Design, 'permitBrand' | 'tidy'>,
  context: Pick<JobContext, 'warn' | 'signal'>,
  { inputs, permits }: ListingServices,
): Promise<Listing[]> {
  for (const warning of payload.warnings ?? []) context.warn(warning);
  const stored = await readListings(payload.input, inputs, { tidy });
  const { listings, findings } = await withOfficialPermits(stored, permitBrand, permits, context);
  const all = [...findings, ...printFindings(listings)];
  const errors = payload.strict ? strictErrors(all) : [];
  if (errors.length > 0) {
    const faults = errors.map(({ pointer, detail }) => ({ pointer, detail }));
    throw invalidInput(faults, 'The listings have errors; correct them, or send the request without `strict`.');
  }
  for (const { pointer, detail } of all) context.warn({ pointer, detail });
  return listings;
}
