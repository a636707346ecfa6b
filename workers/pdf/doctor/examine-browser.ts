/** The browser and the fonts, told from a test print. */

import { errorText } from '../../../core/doctor/run-checks.ts';
import { type Finding, failure, ok } from '../../../core/runtime/finding.ts';
import type { ChooseDesign } from '../layout/choose-design.ts';
import type { FoundBrowser } from '../print/find-browser.ts';
import type { Printer } from '../print/printer.ts';
import { testPrint } from './test-print.ts';

export interface BrowserParts {
  chooseDesign: ChooseDesign;
  printer: Printer;
  browser: FoundBrowser;
  /** As configured. */
  sandbox: boolean | undefined;
}

/** What the page's Latin and Arabic words are set in; the bundled fall-back is Open Sans. */
const wantedFonts = [/^Manrope/, /^CormorantGaramond/, /Arabic/];

export async function examineBrowser(
  parts: BrowserParts,
  signal: AbortSignal,
): Promise<{ browser: Finding; fonts?: Finding }> {
  const { source, path, version } = parts.browser;
  const isSandboxed = parts.sandbox ?? process.getuid?.() !== 0;
  const name = `${version || path} (${source}, its sandbox ${isSandboxed ? 'on' : 'off'})`;
  try {
    const { fonts, ms } = await testPrint(parts, signal);
    return { browser: ok(`${name}, test print in ${ms} ms`), fonts: fontFinding(fonts) };
  } catch (error) {
    signal.throwIfAborted();
    return {
      browser: failure(
        `${name} does not print (${errorText(error)})`,
        'set CHROMIUM_PATH to another browser, or free memory and /dev/shm',
      ),
    };
  }
}

function fontFinding(fonts: readonly string[]): Finding {
  const isMissing = wantedFonts.some(wanted => !fonts.some(font => wanted.test(font)));
  return isMissing
    ? failure(
        `the test print lacks fonts of the project; it is in ${fonts.join(', ')}`,
        'put templates/pdf/fonts back as it was',
      )
    : ok(`test print in the project’s fonts: ${fonts.join(', ')}`);
}
