/** Folders that other users of the machine cannot read; on real files. */
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  isRoot,
  openToOthers,
  prepareDataFolder,
  preparePrivateFolder,
} from '../../../../core/runtime/private-folder.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const modeOf = (file: string): number => statSync(file).mode & 0o777;
/** As root, the account of PostgreSQL enters it. */
const dataMode = isRoot() ? 0o711 : 0o700;

describe('the data folder', () => {
  it('is created with its parents, and nobody else can list it', async () => {
    const folder = path.join(temporaryFolder(), 'var', 'data');
    await prepareDataFolder(folder);
    expect([folder, path.dirname(folder)].map(modeOf)).toEqual([dataMode, dataMode]);
    expect(await openToOthers(folder)).toEqual([]);
  });

  it('of an earlier version loses the rights of others, with what is directly in it', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    mkdirSync(path.join(folder, 'results'));
    chmodSync(path.join(folder, 'results'), 0o755);
    writeFileSync(path.join(folder, 'start.lock'), '');
    chmodSync(path.join(folder, 'start.lock'), 0o644);
    const found = (await openToOthers(folder)).map(({ file }) => path.relative(folder, file));
    expect(found.sort()).toEqual(['', 'results', 'start.lock']);
    await prepareDataFolder(folder);
    expect(await openToOthers(folder)).toEqual([]);
    expect(['.', 'results', 'start.lock'].map(name => modeOf(path.join(folder, name)))).toEqual([
      dataMode,
      0o700,
      0o600,
    ]);
  });

  it('leaves the targets of links alone', async () => {
    const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
    chmodSync(elsewhere, 0o755);
    symlinkSync(elsewhere, path.join(folder, 'browser'));
    await prepareDataFolder(folder);
    expect(modeOf(elsewhere)).toBe(0o755);
  });
});

it('a private folder is created, or made private', async () => {
  const folder = path.join(temporaryFolder(), 'objects');
  for (const before of [undefined, 0o777]) {
    if (before !== undefined) chmodSync(folder, before);
    await preparePrivateFolder(folder);
    expect(modeOf(folder)).toBe(0o700);
  }
});
