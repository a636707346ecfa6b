/** Prints documents to PDF in a warm browser; survives crashes of its pages and of the browser. */
import { type SandboxMode, sandboxMode } from './find-browser.ts';
import { PagePool, type PagePoolOptions } from './page-pool.ts';
import type { PageView, PrintDocument } from './print-page.ts';

export interface PrintRequest extends PrintDocument {
  /** Aborting cancels the print at once; `print` rejects with the signal's reason. */
  signal: AbortSignal;
}

export interface PrinterOptions extends Omit<PagePoolOptions, 'drawsFrames' | 'sandbox'> {
  /** Default: as `sandboxMode` outside production. */
  sandbox?: SandboxMode;
}

export type Printer = Awaited<ReturnType<typeof openPrinter>>;

/** Launches the browser, so that a machine that cannot run it fails at once. @throws ServiceError `browser-failed` */
export async function openPrinter(options: PrinterOptions) {
  const poolOptions = { ...options, sandbox: options.sandbox ?? sandboxMode({}) };
  const prints = new PagePool({ ...poolOptions, drawsFrames: false });
  // Launches its browser for the first screenshot; most processes never make one.
  const screenshots = new PagePool({ ...poolOptions, drawsFrames: true });
  let printed = 0;
  /** Aborts running prints and closes the browsers. */
  async function close(): Promise<void> {
    await Promise.all([prints.close(), screenshots.close()]);
  }
  try {
    await prints.warmUp();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    /**
     * @throws ServiceError `browser-failed` after three attempts, `service-unavailable` when too many wait or the printer
     * closes; or the signal's reason
     */
    async print({ signal, onLoaded, ...document }: PrintRequest & { onLoaded?: () => void }) {
      const result = await prints.run(signal, page => page.print(document, onLoaded));
      printed++;
      return result;
    },
    /**
     * Returns a picture of each view. Uses a separate browser, so that it never waits for a print; only this browser draws
     * frames.
     * @throws as `print` does
     */
    screenshots: ({ signal, ...document }: PrintRequest, views: readonly PageView[]): Promise<Buffer[]> =>
      screenshots.run(signal, page => page.screenshots(document, views)),
    /** The number of prints, without screenshots. */
    counts() {
      const { busy, ...counts } = prints.counts();
      return { prints: printed, printing: busy, ...counts };
    },
    isSandboxed: () => prints.isSandboxed,
    close,
  };
}
