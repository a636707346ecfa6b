/**
 * 200 listings in one request, photos cached: time, and the most memory that worker and browser take together meanwhile
 * (PSS, Linux only), beside ten requests of 20 of them. Goals: 10 s, 900 MB, one PDF with tags and a bookmark a listing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { listingsFor } from './support/listings.ts';
import { startPhotoHost } from './support/photo-host.ts';
import { startBenchService } from './support/service.ts';

const listings = 200;
const requests = 10;
const sampleEveryMs = 100;

const photoHost = await startPhotoHost();
const service = await startBenchService({
  EGRESS_ALLOW: new URL(photoHost.origin).host,
  MAX_WAIT_SECONDS: '600',
});

const list = (words: string) => listingsFor(words, listings, photoHost.origin, 'large');

async function print(part: ReturnType<typeof list>): Promise<Buffer> {
  const answer = await fetch(`${service.url}/apps/portal/v1/pdf-new`, {
    method: 'POST',
    headers: { ...service.headers, accept: 'application/pdf' },
    body: JSON.stringify({ list: part }),
  });
  const body = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) throw new Error(`${answer.status} ${body}`);
  return body;
}

interface Memory {
  worker: number;
  browser: number;
}

/** MB of the worker of this service, and of all below it: its browser. */
function memory(): Memory {
  const found: Memory = { worker: 0, browser: 0 };
  const worker = processes().find(
    ({ command, parent }) => parent === process.pid && /workers[/\\]main\.js/.test(command),
  );
  for (const { pid } of processes()) {
    if (pid === worker?.pid) found.worker = pssOf(pid);
    else if (worker && isBelow(pid, worker.pid)) found.browser += pssOf(pid);
  }
  return found;
}

function processes() {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => ({
      pid: Number(name),
      parent: parentOf(Number(name)),
      command: read(`/proc/${name}/cmdline`),
    }));
}

function isBelow(pid: number, ancestor: number): boolean {
  for (let at = parentOf(pid); at > 1; at = parentOf(at)) if (at === ancestor) return true;
  return false;
}

const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);

const pssOf = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1_024;

/** '' when the process has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function watched<T>(work: () => Promise<T>): Promise<{ value: T; seconds: number; peak: Memory }> {
  let peak: Memory = { worker: 0, browser: 0 };
  const sampling = setInterval(() => {
    const now = memory();
    if (now.worker + now.browser > peak.worker + peak.browser) peak = now;
  }, sampleEveryMs);
  const begun = performance.now();
  const value = await work().finally(() => clearInterval(sampling));
  return { value, seconds: (performance.now() - begun) / 1_000, peak };
}

function report(name: string, { seconds, peak }: { seconds: number; peak: Memory }): void {
  const { worker, browser } = peak;
  process.stdout.write(
    `${name}: ${seconds.toFixed(1)} s, worker ${worker.toFixed(0)} MB + browser ${browser.toFixed(0)} MB = ${(worker + browser).toFixed(0)} MB\n`,
  );
}

try {
  // The photos, a share at a time as real requests would bring them.
  const all = list('warm');
  for (let at = 0; at < listings; at += 20) await print(all.slice(at, at + 20));

  const parts = list('parts');
  const inParts = await watched(async () => {
    for (let at = 0; at < requests; at++) await print(parts.slice(at * 20, at * 20 + 20));
  });
  report('10 requests of 20', inParts);
  for (let round = 1; round <= 3; round++) {
    const whole = await watched(() => print(list(`whole-${round}`)));
    report('1 request of 200', whole);
    const text = whole.value.toString('latin1');
    const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
    process.stdout.write(
      `  ${(whole.value.length / 1e6).toFixed(1)} MB (${(whole.value.length / listings / 1e6).toFixed(2)} a listing), ` +
        `${count(/\/Type \/Page\b/g)} pages, tagged: ${text.includes('/StructTreeRoot')}, bookmarks: ${count(/\/Parent \d+ 0 R\n?\/(?:Prev|Next|Title)|\/Title \(Two/g)}, ` +
        `${(whole.seconds / inParts.seconds).toFixed(2)} of the time in parts  goals 10 s, 900 MB\n`,
    );
  }
} finally {
  await service.stop();
  await photoHost.close();
}
