import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ConfigurationError,
  checkConfig,
  httpUrl,
  isSet,
  readConfig,
  trueOrFalse,
  wholeNumber,
  withSettings,
} from '../../../../core/runtime/config.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const Declaration = z.object({
  PORT: wholeNumber(0, 65_535).default(9000),
  WRITABLE: trueOrFalse.default(false),
  PUBLIC_URL: httpUrl.optional(),
  PASSWORD: z.string().min(20, 'must have at least 20 characters').optional(),
});

/** The message of the ConfigurationError; '' without one. */
function messageOf(env: Record<string, string>): string {
  try {
    readConfig(Declaration, env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return '';
}

describe('readConfig', () => {
  it('parses values and fills in defaults', () => {
    expect(readConfig(Declaration, { WRITABLE: 'true', PUBLIC_URL: 'https://portal.example/' })).toEqual({
      PORT: 9000,
      WRITABLE: true,
      PUBLIC_URL: 'https://portal.example',
    });
  });

  it('treats an empty variable as unset', () =>
    expect(readConfig(Declaration, { PORT: '', PUBLIC_URL: '', PASSWORD: '' })).toEqual({
      PORT: 9000,
      WRITABLE: false,
    }));

  it('ignores undeclared variables', () =>
    expect(readConfig(Declaration, { PATH: '/bin' })).not.toHaveProperty('PATH'));

  it.each([
    { PORT: 'abc' },
    { PORT: '-1' },
    { PORT: '1.5' },
    { PORT: '65536' },
    { PORT: ' 9000' },
    { PORT: '1e3' },
    { WRITABLE: 'yes' },
    { PUBLIC_URL: 'ftp://portal.example' },
    { PUBLIC_URL: 'portal.example' },
    { PASSWORD: 'correct horse' },
  ])('rejects $0 in one sentence that names the variable and never its value', given => {
    const [[name, value] = ['', '']] = Object.entries(given);
    const sentence = messageOf(given);
    expect(sentence).toMatch(new RegExp(`^${name} must .+\\.$`));
    expect(sentence.split('\n')).toHaveLength(1);
    expect(sentence).not.toContain(value.trim());
  });

  it('reports all errors at once, one per line', () =>
    expect(messageOf({ PORT: 'abc', WRITABLE: 'yes', PASSWORD: 'short' }).split('\n')).toEqual([
      'PORT must be a whole number from 0 to 65535.',
      'WRITABLE must be true or false.',
      'PASSWORD must have at least 20 characters.',
    ]));
});

describe('NAME_FILE', () => {
  const folder = temporaryFolder();
  const fileWith = (text: string): string => {
    const file = path.join(folder, `${randomUUID()}.txt`);
    writeFileSync(file, text);
    return file;
  };
  const secret = 'correct horse battery staple';

  it.each([secret, `${secret}\n`, `${secret}\r\n`])('gives the file’s content without a final line feed: %j', text => {
    expect(readConfig(Declaration, { PASSWORD_FILE: fileWith(text), PASSWORD: '' })).toMatchObject({
      PASSWORD: secret,
    });
    expect(isSet('PASSWORD', { PASSWORD_FILE: fileWith(text) })).toBe(true);
  });

  it('works for every variable and is validated like the variable itself', () => {
    expect(readConfig(Declaration, { PORT_FILE: fileWith('8080\n') }).PORT).toBe(8080);
    expect(messageOf({ PASSWORD_FILE: fileWith('correct horse') })).toBe('PASSWORD must have at least 20 characters.');
  });

  it('counts as unset when the file or its path is empty', () => {
    expect(readConfig(Declaration, { PASSWORD_FILE: fileWith('\n') })).not.toHaveProperty('PASSWORD');
    expect(isSet('PASSWORD', { PASSWORD_FILE: fileWith('') })).toBe(false);
    expect(readConfig(Declaration, { PASSWORD_FILE: '', PASSWORD: secret }).PASSWORD).toBe(secret);
  });

  it('is rejected when the variable itself is set too', () =>
    expect(messageOf({ PASSWORD: secret, PASSWORD_FILE: fileWith(secret) })).toBe(
      'PASSWORD and PASSWORD_FILE are both set: leave out one.',
    ));

  it('is rejected with the file’s path when it cannot be read, beside all other errors', () => {
    const missing = path.join(folder, 'missing');
    const env = { PASSWORD_FILE: missing, PUBLIC_URL_FILE: folder, PORT: 'abc' };
    expect(messageOf(env).split('\n')).toEqual([
      `PUBLIC_URL_FILE names a file that cannot be read: ${folder} (EISDIR).`,
      `PASSWORD_FILE names a file that cannot be read: ${missing} (ENOENT).`,
      'PORT must be a whole number from 0 to 65535.',
    ]);
    expect(() => checkConfig([Declaration], env)).toThrow(ConfigurationError);
  });

  it('is overridden by withSettings', () => {
    const env = withSettings({ PASSWORD_FILE: fileWith('another password altogether') }, { PASSWORD: secret });
    expect(readConfig(Declaration, env).PASSWORD).toBe(secret);
  });
});

describe('checkConfig', () => {
  it('reports the errors of all declarations, a shared variable once', () => {
    const other = z.object({ PORT: wholeNumber(0, 65_535), SANDBOX_PORT: wholeNumber(1, 65_535) });
    expect(() => checkConfig([Declaration, other], { PORT: 'abc', SANDBOX_PORT: '0' })).toThrow(
      new ConfigurationError(
        'PORT must be a whole number from 0 to 65535.\nSANDBOX_PORT must be a whole number from 1 to 65535.',
      ),
    );
  });

  it('accepts a valid configuration', () => expect(() => checkConfig([Declaration], { PORT: '8080' })).not.toThrow());
});
