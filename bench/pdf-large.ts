/**
 * Measures one request with 200 listings and cached photos: time and peak memory of worker and browser (PSS, Linux only).
 * Baseline: ten requests of 20 listings. Goals: 1.05 times its time, 900 MB, one tagged PDF with a bookmark for each listing.
 */
import { listingsFor } from './support/listings.ts';
import { startPhotoHost } from './support/photo-host.ts';
import { descendsFrom, megabytesOf, runningProcesses } from './support/process-tree.ts';
import { figure } from './support/results.ts';
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
  const response = await fetch(`${service.url}/apps/portal/v1/pdf-new`, {
    method: 'POST',
    headers: { ...service.headers, accept: 'application/pdf' },
    body: JSON.stringify({ list: part }),
  });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${response.status} ${body}`);
  return body;
}

interface Memory {
  worker: number;
  browser: number;
}

/** Memory of this service's worker and of the browser below it, in MB. */
function memory(): Memory {
  const used: Memory = { worker: 0, browser: 0 };
  const all = runningProcesses();
  const worker = all.find(({ command, parent }) => parent === process.pid && /workers[/\\]main\.js/.test(command));
  for (const { pid } of all) {
    if (pid === worker?.pid) used.worker = megabytesOf(pid);
    else if (worker && descendsFrom(pid, worker.pid)) used.browser += megabytesOf(pid);
  }
  return used;
}

async function sampled<T>(work: () => Promise<T>): Promise<{ value: T; seconds: number; peak: Memory }> {
  let peak: Memory = { worker: 0, browser: 0 };
  const sampling = setInterval(() => {
    const now = memory();
    if (now.worker + now.browser > peak.worker + peak.browser) peak = now;
  }, sampleEveryMs);
  const startedAt = performance.now();
  const value = await work().finally(() => clearInterval(sampling));
  return { value, seconds: (performance.now() - startedAt) / 1_000, peak };
}

interface Sample {
  seconds: number;
  peak: Memory;
}

function report(name: string, { seconds, peak }: Sample, baseline?: Sample): void {
  const { worker, browser } = peak;
  process.stdout.write(`${name}: worker ${worker.toFixed(0)} MB, browser ${browser.toFixed(0)} MB\n`);
  figure(`${name}: time`, seconds, 's', {
    ...(baseline && { baseline: baseline.seconds }),
    ...(baseline && { goal: '1.05' }),
  });
  figure(
    `${name}: memory`,
    worker + browser,
    'MB',
    baseline && { baseline: baseline.peak.worker + baseline.peak.browser },
  );
}

try {
  // Fills the photo cache in requests of normal size.
  const all = list('warm');
  for (let at = 0; at < listings; at += 20) await print(all.slice(at, at + 20));

  const parts = list('parts');
  const inParts = await sampled(async () => {
    for (let at = 0; at < requests; at++) await print(parts.slice(at * 20, at * 20 + 20));
  });
  report('10 requests of 20', inParts);
  for (let round = 1; round <= 3; round++) {
    const whole = await sampled(() => print(list(`whole-${round}`)));
    report(`1 request of 200, round ${round}`, whole, inParts);
    const text = whole.value.toString('latin1');
    const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
    process.stdout.write(
      `  ${(whole.value.length / 1e6).toFixed(1)} MB (${(whole.value.length / listings / 1e6).toFixed(2)} per listing), ` +
        `${count(/\/Type \/Page\b/g)} pages, tagged: ${text.includes('/StructTreeRoot')}, bookmarks: ${count(/\/Parent \d+ 0 R\n?\/(?:Prev|Next|Title)|\/Title \(Two/g)}\n`,
    );
  }
} finally {
  await service.stop();
  await photoHost.close();
}
