/** Allows one `npm start` at a time per data folder. */
import { open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError } from '../runtime/config.ts';
import { codeOf } from '../runtime/error-code.ts';
import { prepareDataFolder } from '../runtime/private-folder.ts';

/** @returns a function that releases the lock @throws ConfigurationError naming the process that holds the lock */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  await prepareDataFolder(folder);
  const file = path.join(folder, 'start.lock');
  for (;;) {
    try {
      const handle = await open(file, 'wx', 0o600);
      await handle.writeFile(`${process.pid} ${await startTimeOf(process.pid)}`);
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const pid = await holderOf(file);
    if (pid !== undefined) {
      throw new ConfigurationError(
        `Portal Service already runs on ${folder} (process ${pid}). Stop it first, or set DATA_DIR to another folder.`,
      );
    }
    // The lock of a process that was killed.
    await rm(file, { force: true });
  }
}

/** The live process that holds the lock. */
async function holderOf(file: string): Promise<number | undefined> {
  let [pid = '', start = ''] = await fieldsOf(file);
  if (pid === '') {
    // Its owner may be about to write its id.
    await sleep(500);
    [pid = '', start = ''] = await fieldsOf(file);
  }
  // After a reboot or in a container, another process may have the id.
  const isHolder = isAlive(Number(pid)) && (await startTimeOf(Number(pid))) === start;
  return isHolder ? Number(pid) : undefined;
}

const fieldsOf = async (file: string): Promise<string[]> => (await readFile(file, 'utf8').catch(() => '')).split(' ');

/** Start time of a process in clock ticks since boot (proc_pid_stat(5), field 22); '' without `/proc`. */
async function startTimeOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function isAlive(pid: number): boolean {
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
