/** Writes a ZIP file without compression (APPNOTE 6.3.10): PDFs and JPEGs are compressed already, and keep their bytes. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export interface ZipEntry {
  name: string;
  body: Buffer;
}

interface WrittenEntry {
  name: Buffer;
  crc: number;
  bytes: number;
  at: number;
}

const localHeaderBytes = 30;
const centralHeaderBytes = 46;
const endBytes = 22;
const version = 20;
/** Names are UTF-8. */
const flags = 0x0800;
/** 1 January 1980, so that the same files make the same bytes. */
const firstDay = 0x0021;
/** Larger files need ZIP64. */
const maxBytes = 0xffff_ffff;

/**
 * @param entries are created one by one, when the bytes before them are written
 * @param onWritten receives the offset of each body in the ZIP and its SHA-256
 */
export async function* zip<T extends ZipEntry>(
  entries: AsyncIterable<T>,
  onWritten: (entry: T, offset: number, sha256: string) => void,
): AsyncGenerator<Buffer> {
  const written: WrittenEntry[] = [];
  let at = 0;
  for await (const entry of entries) {
    const { body } = entry;
    const one = { name: Buffer.from(entry.name), crc: crc32(body), bytes: body.length, at };
    const header = localHeader(one);
    const bodyAt = at + header.length;
    at = bodyAt + body.length;
    if (at > maxBytes) throw new Error('The files are larger than 4 GB together.');
    written.push(one);
    onWritten(entry, bodyAt, createHash('sha256').update(body).digest('hex'));
    yield header;
    yield body;
  }
  const directory = Buffer.concat(written.map(centralHeader));
  yield Buffer.concat([directory, endOfDirectory(written.length, directory.length, at)]);
}

function localHeader(entry: WrittenEntry): Buffer {
  const header = Buffer.alloc(localHeaderBytes);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(version, 4);
  writeShared(header, 6, entry);
  return Buffer.concat([header, entry.name]);
}

function centralHeader(entry: WrittenEntry): Buffer {
  const header = Buffer.alloc(centralHeaderBytes);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(version, 4);
  header.writeUInt16LE(version, 6);
  writeShared(header, 8, entry);
  header.writeUInt32LE(entry.at, 42);
  return Buffer.concat([header, entry.name]);
}

/** Flags, method (0: stored), time, date, CRC, sizes and the length of the name, which both headers have. */
function writeShared(header: Buffer, from: number, { name, crc, bytes }: WrittenEntry): void {
  header.writeUInt16LE(flags, from);
  header.writeUInt16LE(firstDay, from + 6);
  header.writeUInt32LE(crc, from + 8);
  header.writeUInt32LE(bytes, from + 12);
  header.writeUInt32LE(bytes, from + 16);
  header.writeUInt16LE(name.length, from + 20);
}

function endOfDirectory(entries: number, bytes: number, at: number): Buffer {
  const end = Buffer.alloc(endBytes);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(bytes, 12);
  end.writeUInt32LE(at, 16);
  return end;
}
