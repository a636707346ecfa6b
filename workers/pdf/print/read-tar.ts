/** Reads a small ustar archive, which Node.js has no reader for: regular files only. */

export interface TarFile {
  /** Path inside the archive, with forward slashes. */
  path: string;
  body: Buffer;
}

const blockBytes = 512;
const regularFile = new Set(['0', '\0']);

/**
 * Layout: POSIX.1-1988 ustar; a 512-byte header a member, then its body padded to whole blocks.
 * @throws Error when a member would land outside the folder it is unpacked into
 */
export function readTar(archive: Buffer): TarFile[] {
  const files: TarFile[] = [];
  for (let at = 0; at + blockBytes <= archive.length && archive[at] !== 0; ) {
    const header = archive.subarray(at, at + blockBytes);
    const path = textOf(header.subarray(0, 100));
    const size = Number.parseInt(textOf(header.subarray(124, 136)), 8);
    if (!Number.isInteger(size)) throw new Error(`The archive has a member of no size at byte ${at}.`);
    if (path.startsWith('/') || path.split('/').includes('..')) {
      throw new Error(`The archive has a member outside its folder: ${path}`);
    }
    const start = at + blockBytes;
    if (regularFile.has(String.fromCharCode(header[156] ?? 0))) {
      files.push({ path, body: archive.subarray(start, start + size) });
    }
    at = start + Math.ceil(size / blockBytes) * blockBytes;
  }
  return files;
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? field.length : end).trim();
}
