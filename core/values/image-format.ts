/** Detects an image format by the first bytes; file names and media types are not trusted. */

export type ImageFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif';

/** Needs 64 bytes; undefined when the file is no supported image. */
export function imageFormat(bytes: Buffer): ImageFormat | undefined {
  const head = bytes.toString('latin1', 0, 64);
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif';
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return 'webp';
  if (head.startsWith('ftyp', 4) && /avi[fs]/.test(head.slice(8, 40))) return 'avif';
  return undefined;
}

/** What the file is instead of a photo, as a clause: "the file is a web page". */
export function describeNonImage(bytes: Buffer): string {
  const head = bytes.toString('latin1', 0, 1_000);
  if (head === '') return 'the file is empty';
  if (head.startsWith('%PDF')) return 'the file is a PDF';
  if (/^ftyp(heic|heix|mif1)/.test(head.slice(4)))
    return 'the file is a HEIC photo; JPEG, PNG, WebP, AVIF and GIF can be printed';
  if (/<svg[\s>]/i.test(head)) return 'the file is an SVG drawing';
  if (/^[^\w<]*<(!doctype|html|head|body|\?xml)/i.test(head)) return 'the file is a web page';
  return 'the file is not a photo';
}
