/** The machine or container: Node.js version, available memory, free space on the disks that the service writes to. */

import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type CheckFinding, failure, ok, warning } from '../../runtime/finding.ts';
import { StorageConfig } from '../../storage/config.ts';
import { defineCheck } from '../check.ts';

const minimumNode = { major: 20, minor: 19 };
/** A worker that prints uses about 600 MB with its browser. */
const lowMemoryBytes = 700_000_000;
/** A browser unpacks 200 MB, the photo cache takes 2 GB, and PostgreSQL stops when it cannot write. */
const lowDiskBytes = 2_000_000_000;
const criticalDiskBytes = 300_000_000;
/** TMPFS_MAGIC of statfs(2): a folder in memory is small on purpose. */
const tmpfsType = 0x01021994;

const node = defineCheck({
  name: 'node',
  async run() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const isSupported = major > minimumNode.major || (major === minimumNode.major && minor >= minimumNode.minor);
    const found = `Node.js ${process.versions.node} on ${process.platform} ${process.arch}`;
    return isSupported
      ? ok(found)
      : failure(found, `install Node.js ${minimumNode.major}.${minimumNode.minor} or later`);
  },
});

const memory = defineCheck({
  name: 'memory',
  async run() {
    // Both calls respect the limit of a container.
    const available = process.availableMemory();
    const total = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, os.totalmem());
    const found = `${gigabytes(available)} of ${gigabytes(total)} available, ${os.availableParallelism()} processors`;
    return available < lowMemoryBytes
      ? warning(found, 'give the machine or container more: a worker that prints needs 0.7 GB')
      : ok(found);
  },
});

const disk = defineCheck({
  name: 'disk',
  onTimeout: 'check whether a network mount hangs',
  async run({ read }) {
    const { DATA_DIR, STORAGE_URL } = read(StorageConfig);
    const folders = [path.resolve(DATA_DIR), ...(typeof STORAGE_URL === 'string' ? [STORAGE_URL] : []), os.tmpdir()];
    const disks = new Map<number, string>();
    for (const folder of folders) {
      const existing = nearestExisting(folder);
      const { dev } = await stat(existing);
      if (!disks.has(dev)) disks.set(dev, existing);
    }
    return await Promise.all([...disks.values()].map(space));
  },
});

export default [node, memory, disk];

/** The folder, or the nearest parent that exists. */
const nearestExisting = (folder: string): string =>
  existsSync(folder) || path.dirname(folder) === folder ? folder : nearestExisting(path.dirname(folder));

async function space(folder: string): Promise<CheckFinding> {
  const { type, bavail, bsize, blocks } = await statfs(folder);
  const free = bavail * bsize;
  const found = `${gigabytes(free)} of ${gigabytes(blocks * bsize)} free at ${folder}`;
  if (type === tmpfsType && bavail > blocks / 10) return ok(found);
  if (free < criticalDiskBytes) return failure(found, 'free space: PostgreSQL and results will soon fail to write');
  return free < lowDiskBytes ? warning(found, 'free space, or lower RESULT_RETENTION_HOURS') : ok(found);
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
