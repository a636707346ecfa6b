/** A page has no network: all that it shows is in its document, and whatever it asks for is refused. */
import type { Logger } from 'pino';
import type { CDPSession } from 'playwright';

/** The part of DevTools' `Fetch.requestPaused` that is looked at. */
interface PausedRequest {
  requestId: string;
  resourceType: string;
  request: { url: string };
}

/** DevTools' Fetch domain rather than Playwright's `route`, which lets requests through that it cannot tie to a frame. */
export async function refuseRequests(session: CDPSession, logger: Logger): Promise<void> {
  session.on('Fetch.requestPaused', paused => {
    logger.warn({ url: paused.request.url }, 'a page asked for what it was not given');
    refuse(session, paused).catch((error: unknown) => {
      // The page left or was discarded while its request was under way.
      logger.debug({ err: error }, 'a page’s request could not be refused');
    });
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
}

async function refuse(session: CDPSession, { requestId, resourceType }: PausedRequest): Promise<void> {
  // A page or frame that would leave for another address stays: 204 ends a navigation without an error page.
  if (resourceType === 'Document')
    await session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 });
  else await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
}
