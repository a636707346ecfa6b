import { createServer, type Server } from 'node:net';
import { chromium } from 'playwright';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { countPages } from '../../../../../workers/pdf/print/pdf-file.ts';
import type { Printer } from '../../../../../workers/pdf/print/printer.ts';
import { documentOf, testBrowser, testPrinter } from '../../../../support/printing.ts';

/** Counts connections, even without a request, so that preconnects count too. */
let server: Server;
let connections = 0;
let port = 0;
let printer: Printer;

beforeAll(async () => {
  server = createServer(socket => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  port = address.port;
  printer = await testPrinter({ pages: 1 });
});

beforeEach(() => {
  connections = 0;
});

afterAll(async () => {
  await printer.close();
  await new Promise(resolve => server.close(resolve));
});

const probes: Record<string, (url: string) => string> = {
  'a photo': url => `<img src="${url}/photo.jpg">`,
  'a photo of a source set': url => `<img srcset="${url}/photo.jpg 1x, ${url}/photo2.jpg 2x">`,
  'a picture': url => `<picture><source srcset="${url}/photo.avif"><img src="data:,"></picture>`,
  'a style sheet': url => `<link rel="stylesheet" href="${url}/style.css">`,
  'an import': url => `<style>@import url(${url}/style.css);</style>`,
  'a background': url => `<p style="background: url(${url}/photo.jpg)">Text</p>`,
  'a font': url =>
    `<style>@font-face { font-family: F; src: url(${url}/f.woff2); } p { font-family: F; }</style><p>Text</p>`,
  'a frame': url => `<iframe src="${url}/frame"></iframe>`,
  'a frame with srcdoc': url => `<iframe srcdoc="&lt;img src='${url}/photo.jpg'&gt;"></iframe>`,
  'an object': url => `<object data="${url}/object.svg" type="image/svg+xml"></object>`,
  'an embed': url => `<embed src="${url}/embed.svg">`,
  'an SVG image': url => `<svg width="9" height="9"><image href="${url}/photo.jpg" width="9" height="9"/></svg>`,
  'an SVG use': url => `<svg width="9" height="9"><use href="${url}/icons.svg#a"/></svg>`,
  'a video and its poster': url => `<video src="${url}/film.mp4" poster="${url}/poster.jpg" autoplay></video>`,
  'a refresh': url => `<meta http-equiv="refresh" content="0;url=${url}/elsewhere">`,
  'a prefetch': url => `<link rel="prefetch" href="${url}/next">`,
  'a preload': url => `<link rel="preload" as="image" href="${url}/photo.jpg">`,
  'a preconnect': url => `<link rel="preconnect" href="${url}"><link rel="dns-prefetch" href="${url}">`,
  'an icon': url => `<link rel="icon" href="${url}/icon.png">`,
  'a manifest': url => `<link rel="manifest" href="${url}/app.webmanifest">`,
  'a script': url =>
    `<script src="${url}/script.js"></script><script>fetch('${url}/x'); new WebSocket('${url}');</script>`,
  'a handler': url => `<img src="data:," onerror="fetch('${url}/x')"><svg onload="fetch('${url}/y')"></svg>`,
  'a base': url => `<base href="${url}/"><img src="photo.jpg">`,
};

it.each(Object.keys(probes))('%s with an unknown URL is not requested, and the page is printed', async name => {
  const probe = probes[name];
  const urls = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `http://[::ffff:7f00:1]:${port}`];
  const html = documentOf(`<h1>Marina view</h1>${urls.map(url => probe?.(url)).join('')}`);
  const { pdf } = await printer.print({ html, assets: new Map(), signal: AbortSignal.timeout(10_000) });
  expect(countPages(pdf)).toBe(1);
  expect(pdf.toString('latin1')).toContain('/Title (Marina view)');
  expect(connections).toBe(0);
});

it('a local file does not appear on the page', async () => {
  const frames = (url: string) => `<h1>Marina view</h1><iframe src="${url}"></iframe><object data="${url}"></object>`;
  const print = async (url: string) => {
    const html = documentOf(frames(url));
    const { pdf } = await printer.print({ html, assets: new Map(), signal: AbortSignal.timeout(10_000) });
    return pdf.length;
  };
  const ofNothing = await print('about:blank');
  // A print does not wait for frames, so under load it may be complete before their text is loaded.
  await expect.poll(() => print('data:text/plain,root')).toBeGreaterThan(ofNothing);
  for (let times = 0; times < 5; times += 1) expect(await print('file:///etc/passwd')).toBeLessThanOrEqual(ofNothing);
});

it('a script does not run', async () => {
  const html = documentOf(
    '<h1>Marina view</h1><script>document.querySelector("h1").textContent = "Scripted";</script>',
  );
  const { pdf } = await printer.print({ html, assets: new Map(), signal: AbortSignal.timeout(10_000) });
  expect(pdf.toString('latin1')).toContain('/Title (Marina view)');
});

it('the same URL is requested by an unrestricted browser, which proves that the server counts', async () => {
  const found = await testBrowser();
  const browser = await chromium.launch({ executablePath: found.path, env: { ...found.env } });
  const page = await browser.newPage();
  await page.setContent(`<img src="http://127.0.0.1:${port}/photo.jpg">`);
  await browser.close();
  expect(connections).toBeGreaterThan(0);
});
