// Serves the scene modules and three.js to the browser, on loopback only.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const scenes = new URL('./', import.meta.url);
const three = new URL('../', import.meta.resolve('three'));

const imports = { three: '/three/build/three.module.js', 'three/addons/': '/three/examples/jsm/' };
const page = `<!doctype html><meta charset="utf-8"><script type="importmap">${JSON.stringify({ imports })}</script>`;

async function moduleAt(path: string): Promise<Buffer> {
  const [base, rest] = path.startsWith('/three/') ? [three, path.slice('/three/'.length)] : [scenes, path.slice(1)];
  const url = new URL(rest, base);
  if (!url.href.startsWith(base.href)) throw new Error(`path outside the served folders: ${path}`);
  return readFile(fileURLToPath(url));
}

export interface SceneServer {
  origin: string;
  close: () => void;
}

export async function serveScenes(): Promise<SceneServer> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/') {
      response.setHeader('content-type', 'text/html').end(page);
      return;
    }
    try {
      response.setHeader('content-type', 'text/javascript').end(await moduleAt(pathname));
    } catch (error) {
      response.writeHead(404).end(String(error));
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP port');
  return { origin: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}
