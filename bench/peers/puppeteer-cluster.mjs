/** puppeteer-cluster: a pool of pages in one browser, a new page for each document (its fastest mode). */
import puppeteer from 'puppeteer';
import { Cluster } from 'puppeteer-cluster';
import { serveDocuments } from './serve-documents.mjs';

const cluster = await Cluster.launch({
  concurrency: Cluster.CONCURRENCY_PAGE,
  maxConcurrency: Number(process.env.PEER_CONCURRENCY),
  timeout: 120_000,
  puppeteer,
  puppeteerOptions: {
    executablePath: process.env.PEER_BROWSER,
    headless: 'shell',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  },
});

await cluster.task(async ({ page, data }) => {
  await page.setContent(data.html, { waitUntil: 'load' });
  return page.pdf({ preferCSSPageSize: true, printBackground: true, tagged: true, outline: true });
});

serveDocuments(
  document => cluster.execute(document),
  () => cluster.close(),
);
