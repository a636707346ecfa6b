/** Serves the photos and fonts of prepared pages on loopback, for peers that fetch them. */
import { createServer } from 'node:http';
import type { PreparedPages } from './prepared-pages.ts';

const preparedOrigin = 'https://brochure.invalid';

export interface AssetHost {
  /** Registers the assets and returns the HTML with this host's URLs. */
  serve(pages: PreparedPages): string;
  close(): Promise<void>;
}

export async function startAssetHost(): Promise<AssetHost> {
  const assets = new Map<string, { body: Buffer; contentType: string }>();
  const server = createServer((request, response) => {
    const asset = assets.get(request.url ?? '');
    response
      .writeHead(asset ? 200 : 404, {
        'content-type': asset?.contentType ?? 'text/plain',
        'access-control-allow-origin': '*',
      })
      .end(asset?.body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the asset host has no TCP port');
  const origin = `http://127.0.0.1:${address.port}`;
  return {
    serve(pages) {
      for (const [url, asset] of pages.assets) assets.set(new URL(url).pathname, asset);
      return pages.html.replaceAll(preparedOrigin, origin);
    },
    close: () => new Promise(resolve => server.close(() => resolve())),
  };
}
