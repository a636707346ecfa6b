/** Space on the disks that the service writes to. */
import { stat, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Finding, failure, ok, warning } from '../../runtime/finding.ts';
import { StorageConfig } from '../../storage/config.ts';
import { defineCheck } from '../check.ts';

/** A browser unpacks 200 MB, the photos' cache takes 2 GB, and PostgreSQL stops when it cannot write. */
const littleBytes = 2_000_000_000;
const tooLittleBytes = 300_000_000;
/** TMPFS_MAGIC of statfs(2): a container's folder in memory is as small as it was meant to be. */
const memoryType = 0x01021994;

export default defineCheck({
  name: 'disk',
  whenSilent: 'look whether a network mount hangs',
  async look({ read }) {
    const { DATA_DIR, STORAGE_URL } = read(StorageConfig);
    const folders = [
      path.resolve(DATA_DIR),
      ...(STORAGE_URL === undefined ? [] : [STORAGE_URL]),
      os.tmpdir(),
    ];
    const disks = new Map<number, string>();
    for (const folder of folders) {
      const there = await nearestThere(folder);
      const { dev } = await stat(there);
      if (!disks.has(dev)) disks.set(dev, there);
    }
    return await Promise.all([...disks.values()].map(space));
  },
});

/** The folder itself, or what it will be made in. */
async function nearestThere(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || path.dirname(folder) === folder ? folder : nearestThere(path.dirname(folder));
}

async function space(folder: string): Promise<Finding> {
  const { type, bavail, bsize, blocks } = await statfs(folder);
  const free = bavail * bsize;
  const found = `${gigabytes(free)} of ${gigabytes(blocks * bsize)} free at ${folder}`;
  if (type === memoryType && bavail > blocks / 10) return ok(found);
  if (free < tooLittleBytes)
    return failure(found, 'free space: PostgreSQL and results cannot be written soon');
  return free < littleBytes ? warning(found, 'free space, or lower RESULT_RETENTION_HOURS') : ok(found);
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
