/** Deletes what is kept for a time only, when that is over: files of results, idempotency keys, access tokens. */
import type { ExpiredResults } from '../core/db/expired-results.ts';
import type { IdempotencyKeys } from '../core/db/idempotency.ts';
import type { OauthStore } from '../core/db/oauth.ts';
import type { Logger } from '../core/logger.ts';
import type { Store } from '../core/storage/store.ts';
import { type Repetition, repeat } from './repeat.ts';

const everyMs = 60_000;
/** Results a turn looks at: a backlog is worked off over several, beside the jobs. */
const batch = 500;

export interface CleanUpParts {
  expiredResults: ExpiredResults;
  idempotency: Pick<IdempotencyKeys, 'deleteExpired'>;
  oauth: Pick<OauthStore, 'deleteExpiredTokens'>;
  results: Pick<Store, 'delete'>;
  logger: Logger;
}

export const startCleanUp = (parts: CleanUpParts): Repetition =>
  repeat('clean-up', everyMs, parts.logger, () => cleanUp(parts));

/** One turn; repeatable, and harmless when two processes do it at once. */
export async function cleanUp({
  expiredResults,
  idempotency,
  oauth,
  results,
  logger,
}: CleanUpParts): Promise<void> {
  let files = 0;
  for (const { key, recordKey } of await expiredResults.find(batch)) {
    if (!(await expiredResults.isInUse(key))) {
      await results.delete(key);
      if (recordKey !== undefined) await results.delete(recordKey);
      files++;
    }
    // Last, so that a turn that is cut off is done again.
    await expiredResults.forget(key);
  }
  const keys = await idempotency.deleteExpired();
  const tokens = await oauth.deleteExpiredTokens();
  if (files + keys + tokens > 0) logger.info({ files, keys, tokens }, 'what had expired is deleted');
}
