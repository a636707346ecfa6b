/** The code of an error of Node.js, such as ENOENT, or of PostgreSQL; '' without one. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** The error codes of Node.js for a full disk and a used-up quota, and of PostgreSQL. */
const fullCodes = ['ENOSPC', 'EDQUOT', '53100'];

/** Whether no space is left on a disk: of results, of caches, of PostgreSQL. */
export function isDiskFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (fullCodes.includes(codeOf(cause))) return true;
  return false;
}

/** For a file or folder that may not exist. */
export function undefinedIfMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
