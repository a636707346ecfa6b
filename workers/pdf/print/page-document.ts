/** How a document comes to the page: whole, in a web archive; a very large one piece by piece. */
import type { Asset } from '../layout/design.ts';
import { neededAssets } from './needed-assets.ts';
import { type Assets, bytesOf, webArchive } from './web-archive.ts';

export interface PageDocument {
  /** Where the page is to go. */
  url: string;
  /** What is at an address; undefined: nothing that the page may have. */
  at(url: string): Asset | undefined;
}

/**
 * An archive comes in one message, three times in memory while it is sent; and Chromium takes none above 100 MB.
 * Up to fifty listings or so are smaller.
 */
const largestArchiveBytes = 24_000_000;

/** Browsers open web archives from files only; this one is nowhere but in the answer to the page's request. */
const archiveFolder = 'file:///brochure';
const pieceFolder = 'https://brochure.invalid/brochure';

/** @param number unlike that of any document before on the same page, so that nothing of it counts for this one */
export function pageDocument(number: number, html: string, assets: Assets): PageDocument {
  return bytesOf(assets) <= largestArchiveBytes
    ? inOne(number, html, assets)
    : inPieces(number, html, assets);
}

function inOne(number: number, html: string, assets: Assets): PageDocument {
  const url = `${archiveFolder}/${number}.mhtml`;
  return {
    url,
    at: asked =>
      asked === url
        ? { body: webArchive(url, html, neededAssets(html, assets)), contentType: 'multipart/related' }
        : undefined,
  };
}

function inPieces(number: number, html: string, assets: Assets): PageDocument {
  const url = `${pieceFolder}/${number}.html`;
  return {
    url,
    at: asked =>
      asked === url
        ? { body: Buffer.from(html), contentType: 'text/html; charset=utf-8' }
        : assets.get(asked),
  };
}
