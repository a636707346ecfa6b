/** A real file system of a few MB, which a test can fill: a tmpfs, which only root may mount. */
import { spawnSync } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

export interface SmallDisk {
  folder: string;
  /** Leaves no byte free. */
  fill(): Promise<void>;
  /** Deletes what `fill` wrote. */
  empty(): Promise<void>;
  unmount(): void;
}

/** @returns undefined, and prints why, where this process may not mount file systems */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  const folder = temporaryFolder();
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  if (status !== 0) {
    process.stdout.write(`\n SKIPPED: full disks (cannot mount a file system: ${stderr ?? 'no mount command'})\n\n`);
    return undefined;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    async fill() {
      const { bavail, bsize } = await statfs(folder);
      await writeFile(filler, Buffer.alloc(bavail * bsize));
    },
    empty: () => rm(filler, { force: true }),
    unmount: () => void spawnSync('umount', ['-l', folder]),
  };
}
