/** Lets a page open the one document it was given, and refuses all else it asks for: the page has no network. */

import type { Logger } from 'pino';
import type { CDPSession } from 'playwright';

export interface DocumentGate {
  /** The next document with this address is answered with what `archive` makes then; until `close`. */
  open(url: string, archive: () => Buffer): void;
  close(): void;
}

/** The part of DevTools' `Fetch.requestPaused` that is looked at. */
interface PausedRequest {
  requestId: string;
  resourceType: string;
  request: { url: string };
}

/** DevTools' Fetch domain rather than Playwright's `route`, which lets requests through that it cannot tie to a frame. */
export async function gateDocuments(session: CDPSession, logger: Logger): Promise<DocumentGate> {
  let expected: { url: string; archive: () => Buffer } | undefined;
  session.on('Fetch.requestPaused', paused => {
    const archive = expected?.url === paused.request.url ? expected.archive : undefined;
    if (archive === undefined) {
      logger.warn({ url: paused.request.url }, 'a page asked for what it was not given');
    }
    answer(session, paused, archive).catch((error: unknown) => {
      // The page left or was discarded while its request was under way.
      logger.debug({ err: error }, 'a page’s request could not be answered');
    });
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  return {
    open(url, archive) {
      expected = { url, archive };
    },
    close() {
      expected = undefined;
    },
  };
}

async function answer(
  session: CDPSession,
  { requestId, resourceType }: PausedRequest,
  archive: (() => Buffer) | undefined,
): Promise<void> {
  if (resourceType !== 'Document') {
    await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  } else if (archive === undefined) {
    // A page or frame that would leave for another address stays: 204 ends a navigation without an error page.
    await session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 });
  } else {
    await session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      responseHeaders: [{ name: 'Content-Type', value: 'multipart/related' }],
      body: archive().toString('base64'),
    });
  }
}
