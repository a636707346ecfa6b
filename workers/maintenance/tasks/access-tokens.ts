/** Access tokens that have ended, and secrets that were replaced long ago. */
import { inBatches } from '../in-batches.ts';
import { defineTask } from '../task.ts';

export default defineTask({
  name: 'access-tokens',
  run: ({ past }, time) =>
    inBatches(time, {
      tokens: past.tokens,
      clientSecrets: past.oauthSecrets,
      callbackSecrets: past.callbackSecrets,
    }),
});
