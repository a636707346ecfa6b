/// <reference lib="dom" />
import { afterEach, describe, expect, it } from 'vitest';
import { countPages } from '../../../../../workers/pdf/print/pdf-file.ts';
import type { Printer, PrinterOptions } from '../../../../../workers/pdf/print/printer.ts';
import {
  browserProcess,
  documentOf,
  italicFont,
  NotifyingAssets,
  origin,
  ownProcesses,
  photo,
  testBrowser,
  testPrinter,
} from '../../../../support/printing.ts';

const browser = await testBrowser();
const font = await italicFont();
const red = await photo('#ff0000');
const blue = await photo('#0000ff');
const photoUrl = `${origin}/photo.jpg`;
const html = documentOf(
  `<h1>Marina view</h1><img src="${photoUrl}" alt="The view"><a href="tel:+971501234501">Call</a>`,
  '<h2>Gallery</h2>',
);

let opened: Printer | undefined;

async function open(options: Partial<PrinterOptions> = {}): Promise<Printer> {
  opened = await testPrinter({ browser, ...options });
  return opened;
}

afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

function assets(image = red): NotifyingAssets {
  return new NotifyingAssets([
    [`${origin}/italic.ttf`, font],
    [photoUrl, image],
  ]);
}

function request(given: Partial<Parameters<Printer['print']>[0]> = {}) {
  return { html, assets: assets(), signal: new AbortController().signal, ...given };
}

function body(pdf: Buffer): string {
  return pdf.toString('latin1');
}

describe('a print', () => {
  it('uses the web font, is tagged, has an outline and links, and contains the unchanged bytes of the photo', async () => {
    const printer = await open({ pages: 1 });
    const { pdf } = await printer.print(request());
    expect(countPages(pdf)).toBe(2);
    expect(body(pdf)).toContain('+OpenSans-Italic');
    expect(body(pdf)).not.toContain('+OpenSans-Regular');
    expect(body(pdf)).toContain('/StructTreeRoot');
    expect(body(pdf)).toContain('/Title (Marina view)');
    expect(body(pdf)).toContain('/URI (tel:+971501234501)');
    expect(body(pdf)).toContain('/Lang (en)');
    const scanStart = red.body.indexOf(Buffer.from([0xff, 0xda]));
    expect(pdf.includes(red.body.subarray(scanStart))).toBe(true);
  });

  it.runIf(process.platform === 'linux')('falls back to the bundled font, whatever fonts the machine has', async () => {
    const printer = await open({ pages: 1 });
    const { pdf } = await printer.print(request({ html: html.replace('Headline; }', 'DejaVu Serif, serif; }') }));
    expect(body(pdf)).toContain('+OpenSans-Regular');
    expect(body(pdf)).not.toMatch(/DejaVu/);
  });

  it('waits for a font that only the fitted text uses', async () => {
    const fit = () => {
      document.body.style.fontFamily = 'Late';
      return [];
    };
    const late = html
      .replace('font-family: Headline; }\n    section', '}\n    section')
      .replace('@page', `@font-face { font-family: Late; src: url(${origin}/italic.ttf); } @page`);
    const printer = await open({ pages: 1, fit });
    const { pdf } = await printer.print(request({ html: late }));
    expect(body(pdf)).toContain('+OpenSans-Italic');
    expect(body(pdf)).not.toContain('+OpenSans-Regular');
  });

  it('of a long document has the same pages and size as that of a short one', async () => {
    const printer = await open({ pages: 1 });
    const long = await printer.print(request({ html: `${html}<!--${'x'.repeat(2_000_000)}-->` }));
    const short = await printer.print(request());
    expect(countPages(long.pdf)).toBe(2);
    expect(long.pdf.length).toBe(short.pdf.length);
  });

  it('loses no character of a long document', async () => {
    const fit = () => [
      { listing: 0, field: document.querySelector('p')?.textContent ?? '', level: 0, cut: false } as const,
    ];
    const printer = await open({ pages: 1, fit });
    const text = '🏡'.repeat(200_000);
    const { fits } = await printer.print(request({ html: html.replace('<h2>', `<p hidden>${text}</p><h2>`) }));
    expect(fits[0]?.field === text).toBe(true);
  });

  it('returns the results of fitting the text', async () => {
    const fit = () => [
      { listing: 0, field: document.querySelector('h1')?.textContent ?? '', level: 1, cut: true } as const,
    ];
    const printer = await open({ pages: 1, fit });
    const { fits } = await printer.print(request());
    expect(fits).toEqual([{ listing: 0, field: 'Marina view', level: 1, cut: true }]);
  });

  it('never contains assets of a concurrent print', async () => {
    const printer = await open({ pages: 2 });
    const scan = (image: typeof red) => image.body.subarray(image.body.indexOf(Buffer.from([0xff, 0xda])));
    for (let round = 0; round < 4; round++) {
      const [first, second] = await Promise.all([
        printer.print(request({ assets: assets(red) })),
        printer.print(request({ assets: assets(blue) })),
      ]);
      expect([first.pdf.includes(scan(red)), first.pdf.includes(scan(blue))]).toEqual([true, false]);
      expect([second.pdf.includes(scan(red)), second.pdf.includes(scan(blue))]).toEqual([false, true]);
    }
  });
});

describe('a printer', () => {
  it('replaces a page after `printsPerPage` prints', async () => {
    const printer = await open({ pages: 1, printsPerPage: 3 });
    for (let print = 0; print < 7; print++) await printer.print(request());
    expect(printer.counts()).toMatchObject({ prints: 7, pagesOpened: 3, browserLaunches: 1, retries: 0 });
  });

  it('retries on both pages when the browser is killed', async () => {
    const printer = await open({ pages: 2 });
    const watched = assets();
    watched.onFirstRequest = () => process.kill(browserProcess(browser.path), 'SIGKILL');
    const printed = await Promise.all([printer.print(request({ assets: watched })), printer.print(request())]);
    expect(printed.map(({ pdf }) => countPages(pdf))).toEqual([2, 2]);
    expect(printer.counts()).toMatchObject({ prints: 2, browserLaunches: 2 });
  });

  it('retries when its page crashes', async () => {
    const printer = await open({ pages: 1 });
    const watched = assets();
    watched.onFirstRequest = () => {
      for (const { pid } of ownProcesses('--type=renderer')) process.kill(pid, 'SIGKILL');
    };
    expect(countPages((await printer.print(request({ assets: watched }))).pdf)).toBe(2);
    expect(printer.counts()).toMatchObject({ retries: 1, pagesOpened: 2, browserLaunches: 1 });
  });

  it('kills a browser that does not respond, and retries with another', async () => {
    const printer = await open({ pages: 1, printTimeoutMs: 2_000 });
    const watched = assets();
    watched.onFirstRequest = () => process.kill(browserProcess(browser.path), 'SIGSTOP');
    expect(countPages((await printer.print(request({ assets: watched }))).pdf)).toBe(2);
    expect(printer.counts()).toMatchObject({ prints: 1, browserLaunches: 2 });
  });

  it('fails a document that hangs at each attempt, and prints the next one', async () => {
    const fit = () => {
      while (document.querySelector('hr')) {}
      return [];
    };
    const printer = await open({ pages: 1, fit, printTimeoutMs: 2_000 });
    const hanging = printer.print(request({ html: documentOf('<hr>') }));
    await expect(hanging).rejects.toMatchObject({ code: 'browser-failed' });
    expect(countPages((await printer.print(request())).pdf)).toBe(2);
  });

  it('cancels an aborted print at once, and prints the next one', async () => {
    const printer = await open({ pages: 1 });
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const watched = assets();
    watched.onFirstRequest = () => controller.abort(reason);
    await expect(printer.print(request({ assets: watched, signal: controller.signal }))).rejects.toBe(reason);
    expect(countPages((await printer.print(request())).pdf)).toBe(2);
    expect(printer.counts()).toMatchObject({ prints: 1, pagesOpened: 2, browserLaunches: 1 });
  });

  it('rejects a print when too many wait', async () => {
    const printer = await open({ pages: 1, maxWaiting: 1 });
    const printing = [printer.print(request()), printer.print(request())];
    await expect(printer.print(request())).rejects.toMatchObject({ code: 'service-unavailable' });
    await Promise.all(printing);
  });

  it('leaves no process behind when closed during a print', async () => {
    const printer = await open({ pages: 1 });
    const watched = assets();
    const firstRequest = new Promise<void>(resolve => {
      watched.onFirstRequest = resolve;
    });
    const printing = printer.print(request({ assets: watched }));
    const rejected = expect(printing).rejects.toMatchObject({ code: 'service-unavailable' });
    await firstRequest;
    await printer.close();
    await rejected;
    await expect.poll(() => ownProcesses(browser.path)).toEqual([]);
    await expect(printer.print(request())).rejects.toMatchObject({ code: 'service-unavailable' });
  });

  it('rejects when the browser cannot be launched', async () => {
    const broken = { ...browser, path: '/bin/false' };
    await expect(testPrinter({ browser: broken })).rejects.toMatchObject({ code: 'browser-failed' });
  });
});
