/** For tests of the printer: a real browser, small documents with a web font and photos, and the browser's processes. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import sharp from 'sharp';
import { readConfig } from '../../core/runtime/config.ts';
import type { Asset } from '../../workers/pdf/layout/design.ts';
import { unpackFonts } from '../../workers/pdf/print/bundled-browser.ts';
import { BrowserConfig, findBrowser } from '../../workers/pdf/print/find-browser.ts';
import { openPrinter, type Printer, type PrinterOptions } from '../../workers/pdf/print/printer.ts';

export const cacheFolder = join(import.meta.dirname, '..', '..', '.data', 'browser');
export const origin = 'https://brochure.invalid';

export async function testBrowser() {
  return await findBrowser(readConfig(BrowserConfig), { cacheFolder });
}

export async function testPrinter(options: Partial<PrinterOptions> = {}): Promise<Printer> {
  const logger = pino({ level: 'silent' });
  return await openPrinter({ browser: await testBrowser(), fit: () => [], logger, ...options });
}

/** An italic web font, which differs visibly from the upright fallback. */
export async function italicFont(): Promise<Asset> {
  const folder = dirname(await unpackFonts(cacheFolder));
  return { body: await readFile(join(folder, 'fonts', 'Open_Sans', 'OpenSans-Italic.ttf')), contentType: 'font/ttf' };
}

export async function photo(colour: string): Promise<Asset> {
  const image = sharp({ create: { width: 60, height: 40, channels: 3, background: colour } });
  return { body: await image.jpeg().toBuffer(), contentType: 'image/jpeg' };
}

/** A document of A4 pages in the web font `${origin}/italic.ttf`. */
export function documentOf(...pages: string[]): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Homes</title><style>
    @font-face { font-family: Headline; src: url(${origin}/italic.ttf); }
    @page { size: A4; margin: 0; }
    body { margin: 0; font-family: Headline; }
    section { height: 297mm; overflow: hidden; break-after: page; }
  </style></head><body>${pages.map(page => `<section>${page}</section>`).join('')}</body></html>`;
}

/** Assets that notify on their first use: the print is running then. */
export class NotifyingAssets extends Map<string, Asset> {
  onFirstRequest: (() => void) | undefined;

  override get(url: string): Asset | undefined {
    const notify = this.onFirstRequest;
    this.onFirstRequest = undefined;
    notify?.();
    return super.get(url);
  }
}

interface Process {
  pid: number;
  parent: number;
  command: string;
}

/** An argument of the browser that `sharedBrowser` launches; Chromium ignores it. */
export const sharedMark = '--shared-by-tests';

/** Processes below this test process whose command line contains the text, without the shared browser. */
export function ownProcesses(text: string): Process[] {
  const { parents, commandOf } = existsSync('/proc/self/stat') ? processesOfLinux() : processesByPs();
  const ours = new Set([process.pid]);
  for (let before = 0; before < ours.size; ) {
    before = ours.size;
    for (const [pid, parent] of parents)
      if (ours.has(parent) && !ours.has(pid) && !commandOf(pid).includes(sharedMark)) ours.add(pid);
  }
  ours.delete(process.pid);
  return [...ours]
    .map(pid => ({ pid, parent: parents.get(pid) ?? 0, command: commandOf(pid) }))
    .filter(({ command }) => command.includes(text));
}

interface Processes {
  /** Parent by process. */
  parents: ReadonlyMap<number, number>;
  commandOf(pid: number): string;
}

/** Debian images have no `ps`. */
function processesOfLinux(): Processes {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  return {
    // After the command in parentheses: state and parent.
    parents: new Map(pids.map(pid => [Number(pid), Number(/^.*\) \S (\d+)/s.exec(textOf(`/proc/${pid}/stat`))?.[1])])),
    commandOf: pid => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' '),
  };
}

/** Empty when the process has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function processesByPs(): Processes {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const rows = lines.flatMap(line => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
  return {
    parents: new Map(rows.map(({ pid, parent }) => [pid, parent])),
    commandOf: pid => rows.find(row => row.pid === pid)?.command ?? '',
  };
}

/** The browser’s main process. */
export function browserProcess(path: string): number {
  const main = ownProcesses(path).find(({ command }) => !command.includes('--type='));
  if (main === undefined) throw new Error('No browser of this test is running.');
  return main.pid;
}
