/** Unpacks the headless shell, shared libraries and fonts of `@sparticuz/chromium` into a cache folder. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress } from 'node:zlib';

const decompress = promisify(brotliDecompress);
const tarBlockBytes = 512;
const draftPrefix = '.unpacking-';
const draftMaxAgeMs = 3_600_000;

/** The package itself would unpack to /tmp/chromium and trust a file that another user put there. */
const packageFolder = join(createRequire(import.meta.url).resolve('@sparticuz/chromium'), '..', '..', '..');

/** The package contains a binary for this platform only. */
export const isBundleSupported = process.platform === 'linux' && process.arch === 'x64';

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

/** @returns a folder for LD_LIBRARY_PATH with NSS, NSPR and expat, which minimal systems lack */
export async function unpackLibraries(cacheFolder: string): Promise<string> {
  const folder = await unpackOnce(cacheFolder, 'libraries', draft => unpackTar('al2023.tar.br', draft));
  return join(folder, 'lib');
}

/**
 * A fontconfig with three faces of Open Sans and no system fonts. Without any font Chromium prints no text at all, not
 * even in web fonts; with system fonts as fallback the bytes would differ between machines.
 * @returns a path for FONTCONFIG_FILE
 */
export async function unpackFonts(cacheFolder: string): Promise<string> {
  const folder = await unpackOnce(cacheFolder, 'fonts', draft => unpackTar('fonts.tar.br', draft));
  // The file contains absolute paths, so each path to the folder has its own file: a browser whose fallback fonts no longer
  // exist crashes at the first letter that needs them.
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

/**
 * Reads the regular files of a POSIX.1-1988 ustar archive: each entry is a 512-byte header, then its body padded to whole
 * blocks.
 * @throws Error when a path would leave the target folder
 */
export function readTar(archive: Buffer): { path: string; body: Buffer }[] {
  const files: { path: string; body: Buffer }[] = [];
  for (let at = 0; at + tarBlockBytes <= archive.length && archive[at] !== 0; ) {
    const header = archive.subarray(at, at + tarBlockBytes);
    const path = tarText(header.subarray(0, 100));
    const size = Number.parseInt(tarText(header.subarray(124, 136)), 8);
    if (!Number.isInteger(size)) throw new Error(`The archive has no size in the header at byte ${at}.`);
    if (path.startsWith('/') || path.split('/').includes('..')) {
      throw new Error(`The archive has a member outside its folder: ${path}`);
    }
    const start = at + tarBlockBytes;
    const isRegularFile = header[156] === 0 || header[156] === 0x30;
    if (isRegularFile) files.push({ path, body: archive.subarray(start, start + size) });
    at = start + Math.ceil(size / tarBlockBytes) * tarBlockBytes;
  }
  return files;
}

const bundled = (file: string): string => join(packageFolder, 'bin', file);

async function unpackTar(archive: string, folder: string): Promise<void> {
  for (const { path, body } of readTar(await decompress(await readFile(bundled(archive))))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), body, { mode: 0o700 });
  }
}

/** Fills a temporary folder and renames it, so that an existing folder is always complete, even with concurrent processes. */
async function unpackOnce(cacheFolder: string, part: string, fill: (draft: string) => Promise<void>): Promise<string> {
  const manifest = await readFile(join(packageFolder, 'package.json'), 'utf8');
  const { version }: { version: string } = JSON.parse(manifest);
  const target = join(cacheFolder, `${part}-${version}`);
  if (existsSync(target)) return target;
  await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
  await removeAbandonedDrafts(cacheFolder);
  const draft = join(cacheFolder, `${draftPrefix}${randomUUID()}`);
  await mkdir(draft, { mode: 0o700 });
  try {
    await fill(draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have been first; its folder is equal.
    if (!existsSync(target)) throw error;
  }
  return target;
}

async function removeAbandonedDrafts(cacheFolder: string): Promise<void> {
  for (const name of await readdir(cacheFolder)) {
    if (!name.startsWith(draftPrefix)) continue;
    const draft = join(cacheFolder, name);
    const { mtimeMs } = await stat(draft).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > draftMaxAgeMs) await rm(draft, { recursive: true, force: true });
  }
}

const xmlText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const tarText = (field: Buffer): string => (field.toString('utf8').split('\0', 1)[0] ?? '').trim();
