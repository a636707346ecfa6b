/** Unpacks what `@sparticuz/chromium` carries (headless shell, shared libraries, fonts) into a folder of our own. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress } from 'node:zlib';
import { readTar } from './read-tar.ts';

const decompress = promisify(brotliDecompress);
const draftPrefix = '.unpacking-';
const draftAbandonedAfterMs = 3_600_000;

/** The package's own unpacking trusts whatever lies at /tmp/chromium, whoever put it there; so we read its files. */
const packageFolder = join(
  dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')),
  '..',
  '..',
);

/** The package has a binary for this platform only. */
export const bundleRunsHere = process.platform === 'linux' && process.arch === 'x64';

/** @returns the headless shell's path; the first call takes about two seconds and 200 MB of disk */
export async function unpackBrowser(cacheFolder: string): Promise<string> {
  const folder = await unpackOnce(cacheFolder, 'chromium', async draft => {
    await pipeline(
      createReadStream(bundled('chromium.br')),
      createBrotliDecompress({ chunkSize: 1 << 21 }),
      createWriteStream(join(draft, 'headless-shell'), { mode: 0o700 }),
    );
  });
  return join(folder, 'headless-shell');
}

/** @returns a folder for LD_LIBRARY_PATH: NSS, NSPR and expat, which a bare machine lacks */
export async function unpackLibraries(cacheFolder: string): Promise<string> {
  const folder = await unpackOnce(cacheFolder, 'libraries', draft => unpackTar('al2023.tar.br', draft));
  return join(folder, 'lib');
}

/**
 * A fontconfig that knows three faces of Open Sans and nothing of the machine. A machine without any font prints
 * no text at all, not even in web fonts; one with others would fall back to those and give other bytes.
 * @returns a path for FONTCONFIG_FILE
 */
export async function unpackFonts(cacheFolder: string): Promise<string> {
  const folder = await unpackOnce(cacheFolder, 'fonts', draft => unpackTar('fonts.tar.br', draft));
  // It holds absolute paths: one for each path that the folder is reached by. A browser whose fallback fonts are said to
  // lie where nothing is any more crashes at the first letter that needs them.
  const name = createHash('sha256').update(cacheFolder).digest('hex').slice(0, 12);
  const file = join(folder, `only-bundled-fonts-${name}.conf`);
  const draft = `${file}${randomUUID()}`;
  await writeFile(
    draft,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${xmlText(join(folder, 'fonts'))}</dir>
  <cachedir>${xmlText(join(cacheFolder, 'font-cache'))}</cachedir>
</fontconfig>
`,
  );
  await rename(draft, file);
  return file;
}

function bundled(file: string): string {
  return join(packageFolder, 'bin', file);
}

async function unpackTar(archive: string, folder: string): Promise<void> {
  for (const { path, body } of readTar(await decompress(await readFile(bundled(archive))))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), body, { mode: 0o700 });
  }
}

/** Fills a draft folder and renames it into place: a folder that is there is whole, whoever unpacks beside us. */
async function unpackOnce(
  cacheFolder: string,
  part: string,
  fill: (draft: string) => Promise<void>,
): Promise<string> {
  const place = join(cacheFolder, `${part}-${packageVersion()}`);
  if (existsSync(place)) return place;
  await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
  await removeAbandonedDrafts(cacheFolder);
  const draft = join(cacheFolder, `${draftPrefix}${randomUUID()}`);
  await mkdir(draft, { mode: 0o700 });
  try {
    await fill(draft);
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process was first: its folder is as good as ours.
    if (!existsSync(place)) throw error;
  }
  return place;
}

async function removeAbandonedDrafts(cacheFolder: string): Promise<void> {
  for (const name of await readdir(cacheFolder)) {
    if (!name.startsWith(draftPrefix)) continue;
    const draft = join(cacheFolder, name);
    const { mtimeMs } = await stat(draft).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > draftAbandonedAfterMs) await rm(draft, { recursive: true, force: true });
  }
}

function packageVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(packageFolder, 'package.json'), 'utf8'),
  );
  return version;
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
