/** Lets one `npm start` at a time use a data folder. */
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { ConfigurationError } from '../config.ts';

/**
 * @returns what gives the folder free again
 * @throws ConfigurationError naming the process that has it
 */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, 'start.lock');
  for (;;) {
    try {
      const handle = await open(file, 'wx');
      await handle.writeFile(String(process.pid));
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    }
    const pid = Number(await readFile(file, 'utf8').catch(() => ''));
    if (pid > 0 && isAlive(pid)) {
      throw new ConfigurationError(
        `Portal Service already runs on ${folder} (process ${pid}). Stop it first, or set DATA_DIR to another folder.`,
      );
    }
    // Left by a process that was killed.
    await rm(file, { force: true });
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
