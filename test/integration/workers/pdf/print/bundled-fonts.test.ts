/** The browser's own fonts are where it is told they are, by whatever path a process reaches the folder. */
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unpackFonts } from '../../../../../workers/pdf/print/bundled-browser.ts';
import { cacheFolder } from '../../../../support/printing.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const fontsOf = (file: string): string => /<dir>(.*)<\/dir>/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';

it('a process that reaches them by another path, which then goes, leaves ours as it was', async () => {
  const ours = await unpackFonts(cacheFolder);
  const link = join(temporaryFolder(), 'browser');
  symlinkSync(cacheFolder, link);
  const theirs = await unpackFonts(link);
  expect(fontsOf(theirs)).toContain(link);
  rmSync(link);
  expect(fontsOf(ours)).toContain(cacheFolder);
  expect(existsSync(join(fontsOf(ours), 'Open_Sans'))).toBe(true);
});
