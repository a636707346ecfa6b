/** jsreport with the recipe chrome-pdf and a pool of browsers (its fastest strategy). */
import chromePdf from '@jsreport/jsreport-chrome-pdf';
import core from '@jsreport/jsreport-core';
import { serveDocuments } from './serve-documents.mjs';

const jsreport = core({
  loadConfig: false,
  discover: false,
  logger: { silent: true },
  workers: { numberOfWorkers: Number(process.env.PEER_CONCURRENCY) },
  reportTimeout: 120_000,
}).use(
  chromePdf({
    strategy: 'chrome-pool',
    numberOfWorkers: Number(process.env.PEER_CONCURRENCY),
    launchOptions: {
      executablePath: process.env.PEER_BROWSER,
      // jsreport does not wait for its browsers to exit; with a pipe, they exit with this process.
      pipe: true,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  }),
);
await jsreport.init();

serveDocuments(
  async ({ html }) => {
    const report = await jsreport.render({
      template: {
        content: html,
        engine: 'none',
        recipe: 'chrome-pdf',
        chrome: {
          printBackground: true,
          format: 'A4',
          marginTop: '0',
          marginRight: '0',
          marginBottom: '0',
          marginLeft: '0',
        },
      },
    });
    return report.content;
  },
  () => jsreport.close(),
);
