/** Answers a page's requests from memory and refuses all others, so that the page has no network. */

import type { Logger } from 'pino';
import type { CDPSession } from 'playwright';
import type { Asset } from '../layout/design.ts';

export type Assets = ReadonlyMap<string, Asset>;

/** Requests of one page: each page has routes of its own, so two prints never see each other's assets. */
export interface AssetRoutes {
  /** From now on these are answered, by URL; with none, nothing is. */
  serve(assets: Assets | undefined): void;
}

/** The part of DevTools' `Fetch.requestPaused` that is looked at. */
interface PausedRequest {
  requestId: string;
  resourceType: string;
  request: { url: string };
}

/**
 * DevTools' Fetch domain rather than Playwright's `route`: that lets requests through which it cannot tie to a frame,
 * and takes an eighth longer for 200 photos.
 */
export async function routeAssets(session: CDPSession, logger: Logger): Promise<AssetRoutes> {
  let served: Assets | undefined;
  session.on('Fetch.requestPaused', paused => {
    const asset = served?.get(paused.request.url);
    if (asset === undefined)
      logger.warn({ url: paused.request.url }, 'a page asked for what it was not given');
    answer(session, paused, asset).catch((error: unknown) => {
      // The page left or was discarded while its request was under way.
      logger.debug({ err: error }, 'a page’s request could not be answered');
    });
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  return {
    serve(assets) {
      served = assets;
    },
  };
}

async function answer(session: CDPSession, paused: PausedRequest, asset: Asset | undefined): Promise<void> {
  const { requestId } = paused;
  if (paused.resourceType === 'Document') {
    // A page or frame that would leave for another address stays: 204 ends a navigation without an error page.
    await session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 });
  } else if (asset === undefined) {
    await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  } else {
    await session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      responseHeaders: [
        { name: 'Content-Type', value: asset.contentType },
        // Fonts are fetched as from another origin: the document has none of its own.
        { name: 'Access-Control-Allow-Origin', value: '*' },
        { name: 'Cache-Control', value: 'no-store' },
      ],
      body: asset.body.toString('base64'),
    });
  }
}
