import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unpackFonts } from '../../../../../workers/pdf/print/bundled-browser.ts';
import { cacheFolder } from '../../../../support/printing.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const fontsOf = (file: string): string => /<dir>(.*)<\/dir>/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';

it('unpackFonts keeps the font path of each process when another one uses a path that is deleted later', async () => {
  const ours = await unpackFonts(cacheFolder);
  const link = join(temporaryFolder(), 'browser');
  symlinkSync(cacheFolder, link);
  const theirs = await unpackFonts(link);
  expect(fontsOf(theirs)).toContain(link);
  rmSync(link);
  expect(fontsOf(ours)).toContain(cacheFolder);
  expect(existsSync(join(fontsOf(ours), 'Open_Sans'))).toBe(true);
});
