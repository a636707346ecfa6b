/** Lets a page open the one document it was given, and refuses all else: the page has no network. */

import type { Logger } from 'pino';
import type { CDPSession } from 'playwright';

/** A web archive: all that the document shows is in it. */
export interface PageDocument {
  /** Where the page is to go. */
  url: string;
  archive: Buffer;
}

export interface DocumentGate {
  /** From now on this document may be opened, and nothing else; with none, nothing at all. */
  open(document: PageDocument | undefined): void;
}

/** The part of DevTools' `Fetch.requestPaused` that is looked at. */
interface PausedRequest {
  requestId: string;
  resourceType: string;
  request: { url: string };
}

/** DevTools' Fetch domain rather than Playwright's `route`, which lets requests through that it cannot tie to a frame. */
export async function gateDocuments(session: CDPSession, logger: Logger): Promise<DocumentGate> {
  let opened: PageDocument | undefined;

  session.on('Fetch.requestPaused', paused => {
    const asked = paused.request.url === opened?.url ? opened : undefined;
    if (asked === undefined)
      logger.warn({ url: paused.request.url }, 'a page asked for what it was not given');
    answer(session, paused, asked).catch((error: unknown) => {
      // The page left or was discarded while its request was under way.
      logger.debug({ err: error }, 'a page’s request could not be answered');
    });
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  return {
    open(document) {
      opened = document;
    },
  };
}

async function answer(
  session: CDPSession,
  { requestId, resourceType }: PausedRequest,
  document: PageDocument | undefined,
): Promise<void> {
  if (document !== undefined) {
    await session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      responseHeaders: [
        { name: 'Content-Type', value: 'multipart/related' },
        { name: 'Cache-Control', value: 'no-store' },
      ],
      body: document.archive.toString('base64'),
    });
  } else if (resourceType === 'Document') {
    // A page or frame that would leave for another address stays: 204 ends a navigation without an error page.
    await session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 });
  } else {
    await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  }
}
