/** Runs PostgreSQL's programs: as ourselves, or, since it refuses to run as root, as an ordinary account. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { EmbeddedPostgresError, useOwnServer } from './error.ts';

/** A user of the operating system; undefined stands for the one this process runs as. */
export interface Account {
  uid: number;
  gid: number;
}

export interface ProgramResult {
  /** null when a signal ended it or it could not be started. */
  code: number | null;
  /** What it printed on both outputs. */
  output: string;
}

export const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * `postgres` where the machine has it, else `nobody`.
 * @throws EmbeddedPostgresError when the machine has neither
 */
export async function ordinaryAccount(): Promise<Account> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  for (const name of ['postgres', 'nobody']) {
    const entry = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(passwd);
    if (entry) return { uid: Number(entry[1]), gid: Number(entry[2]) };
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and this machine has neither a user "postgres" nor "nobody": ' +
      `start the service as an ordinary user, or ${useOwnServer}.`,
  );
}

/**
 * Runs `program` to its end in a session of its own, so that neither Ctrl-C nor our own end reaches it.
 * Never rejects: a program that cannot be started has `code` null and the reason as its output.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { account: Account | undefined; cwd: string; input?: string },
): Promise<ProgramResult> {
  return new Promise(resolve => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      detached: true,
      windowsHide: true,
      env: programEnvironment(),
      ...options.account,
    });
    let output = '';
    const collect = (printed: Buffer | Error) => {
      output += printed.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    // A program that ends before it has read its input: its other output tells why.
    child.stdin.on('error', collect);
    child.on('error', error => resolve({ code: null, output: error.message }));
    child.on('close', code => resolve({ code, output }));
    child.stdin.end(options.input);
  });
}

/** Ours holds secrets and may hold PGDATA or PGPORT; messages must be in English, as we read them. */
function programEnvironment(): Record<string, string> {
  const passedOn = ['PATH', 'SystemRoot', 'TEMP'].flatMap(name => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(passedOn), LC_ALL: 'C', TZ: 'UTC' };
}

/** Whether `account` may enter `folder`: asked of the system, which knows every rule. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  const { code } = await runProgram('/bin/sh', ['-c', 'test -x "$1"', 'sh', folder], { account, cwd: '/' });
  return code === 0;
}
