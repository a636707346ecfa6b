/** Checks that the published client runs in browsers. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const sources = path.join(root, 'client/src');

it('imports Node.js modules only in node.ts', () => {
  const files = readdirSync(sources).filter(file =>
    /(?:from|import\() *'node:/.test(readFileSync(path.join(sources, file), 'utf8')),
  );
  expect(files).toEqual(['node.ts']);
});

it('calls operations with token() where there is no process, without a User-Agent of its own', async () => {
  const { outputFiles } = await build({
    entryPoints: [path.join(sources, 'index.ts')],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'client',
  });
  const requests: Request[] = [];
  const fetch = async (request: Request) => {
    requests.push(request);
    return Response.json({ items: [{ id: 'a' }], nextCursor: null });
  };
  const web = { AbortController, crypto, Headers, Request, Response, URL, URLSearchParams, setTimeout, clearTimeout };
  const context = vm.createContext({
    ...web,
    options: { baseUrl: 'http://portal.example/v2', token: () => 't', fetch },
  });
  vm.runInContext(outputFiles[0]?.text ?? '', context);
  const page = await vm.runInContext('client.createPortalClient(options).jobs.list({ limit: 1 })', context);
  expect(page.items).toEqual([{ id: 'a' }]);
  expect(requests.map(({ headers }) => Object.fromEntries(headers))).toEqual([{ authorization: 'Bearer t' }]);
});
