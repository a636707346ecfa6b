/** The listings a job refers to. */
import { z } from 'zod';
import type { JobInputs } from '../../core/jobs/repository/inputs.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { Listing } from './listing.ts';

/** @throws ServiceError gone when they are no longer kept */
export async function readListings(input: string, inputs: Pick<JobInputs, 'get'>): Promise<Listing[]> {
  const stored = await inputs.get(input);
  if (stored === undefined) {
    throw new ServiceError('gone', 'The listings of this job are no longer kept; send the request again.');
  }
  return z.array(Listing).parse(stored);
}
