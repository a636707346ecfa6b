/** Lets a page open the one document it was given, with what belongs to it, and refuses all else: the page has no network. */

import type { Logger } from 'pino';
import type { CDPSession } from 'playwright';
import type { Asset } from '../layout/design.ts';
import type { PageDocument } from './page-document.ts';

export interface DocumentGate {
  /** From now on this document may be opened, and nothing else; with none, nothing at all. */
  open(document: PageDocument | undefined): void;
}

/** A page asks for all of its photos at once, and each answer is in memory three times while it is sent. */
const answersAtOnce = 8;

/** The part of DevTools' `Fetch.requestPaused` that is looked at. */
interface PausedRequest {
  requestId: string;
  resourceType: string;
  request: { url: string };
}

/** DevTools' Fetch domain rather than Playwright's `route`, which lets requests through that it cannot tie to a frame. */
export async function gateDocuments(session: CDPSession, logger: Logger): Promise<DocumentGate> {
  let opened: PageDocument | undefined;
  const waiting: PausedRequest[] = [];
  let answering = 0;

  function assetFor({ resourceType, request }: PausedRequest): Asset | undefined {
    // A frame or a refresh may not have what a photo may.
    const mayHave = resourceType !== 'Document' || request.url === opened?.url;
    const asset = mayHave ? opened?.at(request.url) : undefined;
    if (asset === undefined) logger.warn({ url: request.url }, 'a page asked for what it was not given');
    return asset;
  }

  async function answerWaiting(): Promise<void> {
    answering++;
    for (let paused = waiting.shift(); paused !== undefined; paused = waiting.shift()) {
      await answer(session, paused, assetFor(paused)).catch((error: unknown) => {
        // The page left or was discarded while its request was under way.
        logger.debug({ err: error }, 'a page’s request could not be answered');
      });
    }
    answering--;
  }

  session.on('Fetch.requestPaused', paused => {
    waiting.push(paused);
    if (answering < answersAtOnce) void answerWaiting();
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
  asset: Asset | undefined,
): Promise<void> {
  if (asset !== undefined) {
    await session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      responseHeaders: [
        { name: 'Content-Type', value: asset.contentType },
        { name: 'Cache-Control', value: 'no-store' },
      ],
      body: asset.body.toString('base64'),
    });
  } else if (resourceType === 'Document') {
    // A page or frame that would leave for another address stays: 204 ends a navigation without an error page.
    await session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 });
  } else {
    await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  }
}
