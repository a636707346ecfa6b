/** Runs PostgreSQL's programs as the current user or, because PostgreSQL rejects root, as an unprivileged account. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { EmbeddedPostgresError, useOwnServer } from './error.ts';

/** A user of the operating system; undefined: the user of this process. */
export interface Account {
  uid: number;
  gid: number;
}

export interface ProgramResult {
  /** null when a signal ended it or it did not start. */
  code: number | null;
  /** Standard output and standard error. */
  output: string;
}

/** The user `postgres`, else `nobody`. @throws EmbeddedPostgresError when the machine has neither */
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
 * Runs the program in a session of its own, which neither Ctrl-C nor the end of this process reaches.
 * Never rejects: for a program that does not start, `code` is null and `output` the reason.
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
    // The program ended before it read its input; its output has the reason.
    child.stdin.on('error', collect);
    child.on('error', error => resolve({ code: null, output: error.message }));
    child.on('close', code => resolve({ code, output }));
    child.stdin.end(options.input);
  });
}

/** Without the secrets, PGDATA and PGPORT of our environment; English messages, because the code matches them. */
function programEnvironment(): Record<string, string> {
  const passedOn = ['PATH', 'SystemRoot', 'TEMP'].flatMap(name => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(passedOn), LC_ALL: 'C', TZ: 'UTC' };
}

/** Whether `account` may enter `folder`, as the operating system decides. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  const { code } = await runProgram('/bin/sh', ['-c', 'test -x "$1"', 'sh', folder], { account, cwd: '/' });
  return code === 0;
}
