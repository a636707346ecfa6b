/** The result store: writes, reads and deletes an object. */
import { codeOf, isDiskFull } from '../../runtime/error-code.ts';
import { failure, ok } from '../../runtime/finding.ts';
import { StorageConfig } from '../../storage/config.ts';
import { openStore, probeStore } from '../../storage/store.ts';
import { defineCheck, errorText } from '../check.ts';

export default defineCheck({
  name: 'storage',
  onTimeout: 'check whether the folder’s file system hangs, such as a network mount',
  async run({ read }) {
    const config = read(StorageConfig);
    const { STORAGE_URL: place = `${config.DATA_DIR}/results` } = config;
    const location = typeof place === 'string' ? place : `the bucket ${place.bucket}`;
    try {
      const startedAt = performance.now();
      await probeStore(await openStore(config));
      return ok(`${location}: written, read and deleted in ${Math.round(performance.now() - startedAt)} ms`);
    } catch (error) {
      if (isDiskFull(error)) return failure(`${location} is full`, 'free space, or lower RESULT_RETENTION_HOURS');
      const found = `${location} cannot be used (${codeOf(error) || errorText(error)})`;
      if (typeof place !== 'string') return failure(found, 'correct STORAGE_URL, its credentials and their rights');
      const folder = config.STORAGE_URL === undefined ? 'DATA_DIR' : 'the folder of STORAGE_URL';
      return failure(found, `let the service’s user write into ${folder}`);
    }
  },
});
