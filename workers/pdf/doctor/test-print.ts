/** Prints one listing without photos, in Latin and Arabic letters, and reads which fonts the PDF has. */
import type { ChooseDesign } from '../layout/choose-design.ts';
import { Listing } from '../listing.ts';
import { checkPages } from '../print/check-pages.ts';
import type { Printer } from '../print/printer.ts';

const listing = Listing.parse({
  reference_number: 'TEST-1',
  title_en: 'Test print',
  description_en: 'A page that the doctor prints. صفحة اختبار.',
  purpose: 'Sale',
  price: '1250000',
  city: 'Dubai',
});

export interface TestPrint {
  /** As the PDF names them, without the mark of a subset, such as `Manrope-Regular`. */
  fonts: string[];
  ms: number;
}

export async function testPrint(
  { chooseDesign, printer }: { chooseDesign: ChooseDesign; printer: Printer },
  signal: AbortSignal,
): Promise<TestPrint> {
  const design = await chooseDesign({ design: 'new', language: 'both', cover: false });
  const photos = design.arrange([], 0, listing).map(({ slot }) => ({ slot, src: null }));
  const html = design.html([{ listing, photos, agentPhoto: null }]);
  const begun = performance.now();
  const { pdf } = await printer.print({ html, assets: design.assets, signal });
  checkPages(pdf, design.pagesOf(1));
  return { fonts: fontsOf(pdf), ms: Math.round(performance.now() - begun) };
}

/** Chromium writes the dictionaries of fonts as plain text. */
function fontsOf(pdf: Buffer): string[] {
  const named = pdf.toString('latin1').matchAll(/\/BaseFont\s*\/(?:[A-Z]{6}\+)?([^\s/<>[\]()]+)/g);
  return [...new Set([...named].map(([, name = '']) => name))].sort();
}
