import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockDataFolder } from '../../../../core/cli/start-lock.ts';
import { ConfigurationError } from '../../../../core/runtime/config.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const parent = temporaryFolder();
const lockOf = (folder: string): string => path.join(folder, 'start.lock');

/** A data folder as another process left it. */
function folderWith(name: string, lock: string): string {
  const folder = path.join(parent, name);
  mkdirSync(folder);
  writeFileSync(lockOf(folder), lock);
  return folder;
}

/** The process that started this one: it lives as long as the test. */
function livingHolder(): string {
  const stat = existsSync('/proc/self/stat') ? readFileSync(`/proc/${process.ppid}/stat`, 'utf8') : '';
  return `${process.ppid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''}`;
}

describe('the lock of a data folder', () => {
  it('is taken, in a folder that is made if need be, and given back', async () => {
    const folder = path.join(parent, 'new', 'data');
    const unlock = await lockDataFolder(folder);
    expect(readFileSync(lockOf(folder), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
    await unlock();
    expect(existsSync(lockOf(folder))).toBe(false);
  });

  it('is refused while its holder lives, with a sentence that names process and folder', async () => {
    const folder = folderWith('held', livingHolder());
    const refused = expect(lockDataFolder(folder)).rejects;
    await refused.toThrow(ConfigurationError);
    await refused.toThrow(`Portal Service already runs on ${folder} (process ${process.ppid}).`);
    expect(readFileSync(lockOf(folder), 'utf8')).toBe(livingHolder());
  });

  it.each([
    ['of a process that is gone', '2147483646 1'],
    ['that was never written', ''],
    ['of a process with our own number, in a container that was started anew', `${process.pid} 1`],
  ])('%s is taken over', async (name, lock) => {
    const unlock = await lockDataFolder(folderWith(name.replaceAll(' ', '-'), lock));
    await unlock();
  });

  it.runIf(existsSync('/proc/self/stat'))(
    'of a process whose number another has now is taken over',
    async () => {
      const unlock = await lockDataFolder(folderWith('reused', `${process.ppid} 1`));
      await unlock();
    },
  );
});
