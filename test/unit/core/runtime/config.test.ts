import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ConfigurationError,
  checkConfig,
  httpAddress,
  isSet,
  readConfig,
  wholeNumber,
  withSettings,
  yesOrNo,
} from '../../../../core/runtime/config.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const Declaration = z.object({
  PORT: wholeNumber(0, 65_535).default(9000),
  WRITABLE: yesOrNo.default(false),
  PUBLIC_URL: httpAddress.optional(),
  PASSWORD: z.string().min(20, 'must have at least 20 characters').optional(),
});

/** What the reader of the error sees. */
function refusal(env: Record<string, string>): string {
  try {
    readConfig(Declaration, env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return '';
}

describe('reading the configuration', () => {
  it('parses what is given and fills in defaults', () => {
    expect(readConfig(Declaration, { WRITABLE: 'true', PUBLIC_URL: 'https://portal.example/' })).toEqual({
      PORT: 9000,
      WRITABLE: true,
      PUBLIC_URL: 'https://portal.example',
    });
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readConfig(Declaration, { PORT: '', PUBLIC_URL: '', PASSWORD: '' })).toEqual({
      PORT: 9000,
      WRITABLE: false,
    });
  });

  it('leaves out what it does not know', () => {
    expect(readConfig(Declaration, { PATH: '/bin' })).not.toHaveProperty('PATH');
  });

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
  ])('refuses $0 in one sentence that names the variable and never its value', given => {
    const [[name, value] = ['', '']] = Object.entries(given);
    const sentence = refusal(given);
    expect(sentence).toMatch(new RegExp(`^${name} must .+\\.$`));
    expect(sentence.split('\n')).toHaveLength(1);
    expect(sentence).not.toContain(value.trim());
  });

  it('tells every fault at once, one a line', () => {
    expect(refusal({ PORT: 'abc', WRITABLE: 'yes', PASSWORD: 'short' }).split('\n')).toEqual([
      'PORT must be a whole number from 0 to 65535.',
      'WRITABLE must be true or false.',
      'PASSWORD must have at least 20 characters.',
    ]);
  });
});

describe('a variable given as a file', () => {
  const folder = temporaryFolder();
  const fileWith = (text: string): string => {
    const file = path.join(folder, `${randomUUID()}.txt`);
    writeFileSync(file, text);
    return file;
  };
  const secret = 'correct horse battery staple';

  it.each([secret, `${secret}\n`, `${secret}\r\n`])(
    'has the file’s value, without a last line feed: %j',
    text => {
      expect(readConfig(Declaration, { PASSWORD_FILE: fileWith(text), PASSWORD: '' })).toMatchObject({
        PASSWORD: secret,
      });
      expect(isSet('PASSWORD', { PASSWORD_FILE: fileWith(text) })).toBe(true);
    },
  );

  it('may be any variable, and is checked like any other, its value never repeated', () => {
    expect(readConfig(Declaration, { PORT_FILE: fileWith('8080\n') }).PORT).toBe(8080);
    expect(refusal({ PASSWORD_FILE: fileWith('correct horse') })).toBe(
      'PASSWORD must have at least 20 characters.',
    );
  });

  it('counts as unset when the file or its name is empty', () => {
    expect(readConfig(Declaration, { PASSWORD_FILE: fileWith('\n') })).not.toHaveProperty('PASSWORD');
    expect(isSet('PASSWORD', { PASSWORD_FILE: fileWith('') })).toBe(false);
    expect(readConfig(Declaration, { PASSWORD_FILE: '', PASSWORD: secret }).PASSWORD).toBe(secret);
  });

  it('is refused beside the variable itself, so that nobody wonders which one counts', () => {
    expect(refusal({ PASSWORD: secret, PASSWORD_FILE: fileWith(secret) })).toBe(
      'PASSWORD and PASSWORD_FILE are both set: leave out one.',
    );
  });

  it('is refused with the file’s name when it cannot be read, beside all other faults', () => {
    const missing = path.join(folder, 'missing');
    const env = { PASSWORD_FILE: missing, PUBLIC_URL_FILE: folder, PORT: 'abc' };
    expect(refusal(env).split('\n')).toEqual([
      `PUBLIC_URL_FILE names a file that cannot be read: ${folder} (EISDIR).`,
      `PASSWORD_FILE names a file that cannot be read: ${missing} (ENOENT).`,
      'PORT must be a whole number from 0 to 65535.',
    ]);
    expect(() => checkConfig([Declaration], env)).toThrow(ConfigurationError);
  });

  it('gives way to settings that are put over it', () => {
    const env = withSettings(
      { PASSWORD_FILE: fileWith('another password altogether') },
      { PASSWORD: secret },
    );
    expect(readConfig(Declaration, env).PASSWORD).toBe(secret);
  });
});

describe('checking several declarations', () => {
  it('tells a variable that two of them share once, and the faults of all of them', () => {
    const other = z.object({ PORT: wholeNumber(0, 65_535), SANDBOX_PORT: wholeNumber(1, 65_535) });
    expect(() => checkConfig([Declaration, other], { PORT: 'abc', SANDBOX_PORT: '0' })).toThrow(
      new ConfigurationError(
        'PORT must be a whole number from 0 to 65535.\nSANDBOX_PORT must be a whole number from 1 to 65535.',
      ),
    );
  });

  it('lets a right configuration pass', () => {
    expect(() => checkConfig([Declaration], { PORT: '8080' })).not.toThrow();
  });
});
