/** What a JPEG says before its picture begins, read from its segments without decoding (ITU-T T.81, B.1 and B.2.2). */

export interface JpegHead {
  /** As stored, before any EXIF rotation; absent in the rare kinds that only the decoder is asked about. */
  frame: { widthPx: number; heightPx: number } | undefined;
  /** Whether it carries EXIF, which may say that it is to be turned. */
  hasExif: boolean;
  /** Where the compressed picture begins, in bytes. */
  scanAt: number;
}

const marker = { startOfScan: 0xda, exif: 0xe1 };

/** Sequential and progressive frames of Huffman coding: what cameras and web sites make. */
const usualFrames: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);

/** @returns undefined when no picture begins in it */
export function readJpegHead(bytes: Buffer): JpegHead | undefined {
  let frame: JpegHead['frame'];
  let hasExif = false;
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const kind = bytes[at + 1] ?? 0;
    if (kind === marker.startOfScan) return { frame, hasExif, scanAt: at };
    if (kind === marker.exif) hasExif = true;
    if (usualFrames.has(kind) && at + 9 <= bytes.length)
      frame = { heightPx: bytes.readUInt16BE(at + 5), widthPx: bytes.readUInt16BE(at + 7) };
    // A marker may be preceded by fill bytes; otherwise its segment says how long it is.
    at += kind === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Whether an end-of-image marker follows the start of the scan; one before it belongs to an EXIF thumbnail. */
export function hasJpegEnd(bytes: Buffer, head = readJpegHead(bytes)): boolean {
  return head !== undefined && bytes.lastIndexOf('\xff\xd9', undefined, 'latin1') > head.scanAt;
}
