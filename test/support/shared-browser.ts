/** One browser for all test files of a process: a launch takes about a second of CPU time, a context a few milliseconds. */
import { type Browser, chromium } from 'playwright';
import { unhintedFonts } from '../../workers/pdf/print/browser.ts';
import { sharedMark, testBrowser } from './printing.ts';

let launched: Promise<Browser> | undefined;

/** Use a context of its own for each test, and close it. The browser ends with the process. */
export async function sharedBrowser(): Promise<Browser> {
  const running = await launched;
  if (running?.isConnected()) return running;
  launched = launch();
  return await launched;
}

async function launch(): Promise<Browser> {
  const { path: executablePath, env } = await testBrowser();
  // As the printer's, because the layout depends on it.
  const args = [unhintedFonts, sharedMark];
  const browser = await chromium.launch({ executablePath, env: { ...env }, chromiumSandbox: false, args });
  // Playwright's default of 30 seconds is too short for the documentation page on a busy machine.
  return browser.on('context', context => context.setDefaultTimeout(120_000));
}
