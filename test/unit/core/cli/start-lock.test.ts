import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockDataFolder } from '../../../../core/cli/start-lock.ts';
import { ConfigurationError } from '../../../../core/runtime/config.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const parent = temporaryFolder();
const hasProc = existsSync('/proc/self/stat');
const lockOf = (folder: string): string => path.join(folder, 'start.lock');

/** A data folder with the lock of another process. */
function folderWith(name: string, lock: string): string {
  const folder = path.join(parent, name);
  mkdirSync(folder);
  writeFileSync(lockOf(folder), lock);
  return folder;
}

/** The lock that a live process writes: its id and start time. */
function lockBy(pid: number): string {
  const stat = hasProc ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''}`;
}

/** Takes the lock, and checks that it belongs to this process until it is released. */
async function expectTakenOver(folder: string): Promise<void> {
  const unlock = await lockDataFolder(folder);
  expect(readFileSync(lockOf(folder), 'utf8')).toBe(lockBy(process.pid));
  await unlock();
  expect(existsSync(lockOf(folder))).toBe(false);
}

describe('lockDataFolder', () => {
  it('creates the folder, takes the lock and releases it', async () => {
    const folder = path.join(parent, 'new', 'data');
    const unlock = await lockDataFolder(folder);
    expect(readFileSync(lockOf(folder), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
    await unlock();
    expect(existsSync(lockOf(folder))).toBe(false);
  });

  it('rejects with the process and the folder while the holder lives', async () => {
    const lock = lockBy(process.ppid);
    const folder = folderWith('held', lock);
    const rejected = expect(lockDataFolder(folder)).rejects;
    await rejected.toThrow(ConfigurationError);
    await rejected.toThrow(`Portal Service already runs on ${folder} (process ${process.ppid}).`);
    expect(readFileSync(lockOf(folder), 'utf8')).toBe(lock);
  });

  it.each([
    ['of a process that has ended', '2147483646 1'],
    ['that is empty', ''],
    ['of an earlier process with our own id, as in a restarted container', `${process.pid} 1`],
  ])('takes over a lock %s', (name, lock) => expectTakenOver(folderWith(name.replaceAll(' ', '-'), lock)));

  it.runIf(hasProc)('takes over a lock of a process whose id another process has now', () =>
    expectTakenOver(folderWith('reused', `${process.ppid} 1`)),
  );
});
