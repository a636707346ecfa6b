/** Health check of the browser and its fonts by a test print. */
import { errorText } from '../../core/doctor/check.ts';
import { type CheckFinding, failure, ok, warning } from '../../core/runtime/finding.ts';
import { Listing } from './listing.ts';
import type { PdfRuntime } from './pdf-runtime.ts';
import { checkPages, PdfStructureError } from './print/pdf-file.ts';

type BrowserContext = Pick<PdfRuntime, 'chooseDesign' | 'printer' | 'browser'>;

const listing = Listing.parse({
  reference_number: 'TEST-1',
  title_en: 'Test print',
  description_en: 'A page that the doctor prints. صفحة اختبار.',
  purpose: 'Sale',
  price: '1250000',
  city: 'Dubai',
});

/** The fonts of the page's Latin and Arabic text; the bundled fallback is Open Sans. */
const expectedFonts = [/^Manrope/, /^CormorantGaramond/, /Arabic/];

/** Prints one listing without photos, in Latin and Arabic letters, and checks the fonts of the PDF. */
export async function checkBrowser(
  context: BrowserContext,
  signal: AbortSignal,
): Promise<{ browser: CheckFinding; fonts?: CheckFinding }> {
  const { source, path, version } = context.browser;
  const name = `${version || path} (${source}, its sandbox ${context.printer.isSandboxed() ? 'on' : 'off'})`;
  try {
    const { fonts, ms } = await printTestPage(context, signal);
    return { browser: ok(`${name}, test print in ${ms} ms`), fonts: fontFinding(fonts) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PdfStructureError) {
      const found = `${name} writes PDFs of an unknown structure, so brochures are delivered unprocessed (${errorText(error)})`;
      return { browser: warning(found, 'go back to its previous version, or upgrade this service') };
    }
    const advice = 'set CHROMIUM_PATH to another browser, or free memory and /dev/shm';
    return { browser: failure(`${name} does not print (${errorText(error)})`, advice) };
  }
}

/** @returns `fonts` as the PDF names them, without the prefix of a subset, such as `Manrope-Regular` */
async function printTestPage({ chooseDesign, printer }: BrowserContext, signal: AbortSignal) {
  const design = await chooseDesign({ design: 'new', language: 'both', cover: false });
  const photos = design.arrange([], 0, listing).map(({ slot }) => ({ slot, src: null }));
  const prepared = [{ listing, photos, agentPhoto: null }];
  const html = design.html(prepared);
  const startedAt = performance.now();
  const { pdf } = await printer.print({ html, assets: design.assets, signal });
  checkPages(pdf, design.pagesOf(prepared));
  // Chromium writes font dictionaries uncompressed.
  const named = pdf.toString('latin1').matchAll(/\/BaseFont\s*\/(?:[A-Z]{6}\+)?([^\s/<>[\]()]+)/g);
  const fonts = [...new Set([...named].map(([, font = '']) => font))].sort();
  return { fonts, ms: Math.round(performance.now() - startedAt) };
}

function fontFinding(fonts: readonly string[]): CheckFinding {
  const used = fonts.join(', ');
  return expectedFonts.every(expected => fonts.some(font => expected.test(font)))
    ? ok(`test print in the project’s fonts: ${used}`)
    : failure(`the test print lacks fonts of the project; it uses ${used}`, 'restore templates/pdf/fonts');
}
