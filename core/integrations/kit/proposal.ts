/** Lines for `.env` that the command `npm run connect` proposes. */

/** A setting without a fitting value is a comment: an empty value would count as unset. */
export const settingLine = (name: string, value: string | undefined): string =>
  value === undefined || value === '' ? `# ${name}=    (none has a fitting name and type)` : `${name}=${quoted(value)}`;

/** `#` would begin a comment. */
const quoted = (value: string): string => (value.includes('#') ? JSON.stringify(value) : value);
