/** Lays documents out as the printer does, without printing them. */
import { pino } from 'pino';
import type { Sample, SampleDocument, Samples } from '../../workers/pdf/gallery/samples.ts';
import type { Design } from '../../workers/pdf/layout/design.ts';
import { collectPhotos, placePhotos } from '../../workers/pdf/listing-photos.ts';
import { countPages } from '../../workers/pdf/print/pdf-file.ts';
import { createPlaceholders } from '../../workers/pdf/print/placeholders.ts';
import { type FitText, openPrintPage } from '../../workers/pdf/print/print-page.ts';
import { jobContext } from './job-context.ts';
import { sharedBrowser } from './shared-browser.ts';

export type LayoutPage = Awaited<ReturnType<typeof openLayoutPage>>;

export async function openLayoutPage(fit: FitText) {
  const browser = await sharedBrowser();
  const page = await openPrintPage(browser, fit, pino({ level: 'silent' }));
  const [shown] = browser.contexts().at(-1)?.pages() ?? [];
  if (!shown) throw new Error('The page is not open.');
  return {
    layOut: (document: SampleDocument) => page.layOut(document),
    /** Counts the printed pages of the last document from this one on. @throws Error when it has fewer pages */
    async pagesFrom(first: number): Promise<number> {
      const options = { preferCSSPageSize: true, pageRanges: `${first}-` };
      return countPages(await shown.pdf(options));
    },
    close: () => page.close(),
  };
}

/** With a placeholder for each photo, as the printer gets it. */
export async function layoutOf({ request }: Sample, { source }: Samples, design: Design) {
  const { listings } = await collectPhotos(request.list, design, source, jobContext());
  const { prepared, crops } = placePhotos(request.list, listings, design);
  const photos = [...crops].map(([url, { id }]) => [url, { kind: 'photo', hash: id }] as const);
  return {
    prepared,
    html: design.html(prepared),
    assets: new Map([...design.assets, ...(await createPlaceholders(new Map(photos)))]),
  };
}
