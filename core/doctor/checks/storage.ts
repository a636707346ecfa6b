/** The results' store: something is written, read and deleted in it. */
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { failure, ok } from '../../runtime/finding.ts';
import { StorageConfig } from '../../storage/config.ts';
import { openStore } from '../../storage/open-store.ts';
import { defineCheck } from '../check.ts';
import { codeOf, errorText } from '../run-checks.ts';

export default defineCheck({
  name: 'storage',
  whenSilent: 'look whether the folder’s file system, such as a network mount, hangs',
  async look({ read }) {
    const config = read(StorageConfig);
    const { STORAGE_URL: folder, DATA_DIR } = config;
    const place = folder ?? `${DATA_DIR}/results`;
    const mend =
      folder === undefined
        ? 'let the service’s user write into DATA_DIR'
        : 'let the service’s user write into the folder of STORAGE_URL';
    try {
      const begun = performance.now();
      const results = await openStore(config);
      const key = `doctor/${randomUUID()}`;
      const written = Buffer.from(key);
      await results.put(key, written, { contentType: 'text/plain' });
      const read = await buffer((await results.open(key)).stream);
      await results.delete(key);
      if (!read.equals(written))
        return failure(`${place} gives back other bytes than were written`, 'check its disk');
      return ok(`${place}: written, read and deleted in ${Math.round(performance.now() - begun)} ms`);
    } catch (error) {
      if (codeOf(error) === 'ENOSPC')
        return failure(`${place} is full`, 'free space, or lower RESULT_RETENTION_HOURS');
      return failure(`${place} cannot be used (${codeOf(error) || errorText(error)})`, mend);
    }
  },
});
