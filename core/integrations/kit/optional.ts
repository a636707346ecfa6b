/** What an outside system does not know is no failure to a connector: its verbs answer undefined, or false. */
import { UpstreamError } from './upstream-error.ts';

export async function orUndefined<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof UpstreamError && error.failure.status === 404) return undefined;
    throw error;
  }
}

/** @returns false when there was nothing to do it to */
export const didFind = async (done: Promise<unknown>): Promise<boolean> =>
  (await orUndefined(done.then(() => true))) ?? false;
