/** jsreport with its recipe chrome-pdf and its pool of browsers (its fastest strategy). */
import chromePdf from '@jsreport/jsreport-chrome-pdf';
import core from '@jsreport/jsreport-core';
import { answer } from './answer.mjs';

const jsreport = core({
  loadConfig: false,
  discover: false,
  logger: { silent: true },
  workers: { numberOfWorkers: Number(process.env.PEER_AT_ONCE) },
  reportTimeout: 120_000,
}).use(
  chromePdf({
    strategy: 'chrome-pool',
    numberOfWorkers: Number(process.env.PEER_AT_ONCE),
    launchOptions: {
      executablePath: process.env.PEER_BROWSER,
      // Its pool does not wait for its browsers to end; one whose pipe breaks ends by itself.
      pipe: true,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  }),
);
await jsreport.init();

answer(
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
