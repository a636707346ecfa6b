/** Detects an image format by the first bytes; file names and media types are not trusted. */

export type ImageFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif';

/** Needs 64 bytes; undefined when the file is no supported image. */
export function imageFormat(bytes: Buffer): ImageFormat | undefined {
  const head = bytes.toString('latin1', 0, 64);
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif';
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return 'webp';
  // `avis` is a sequence of pictures, which a browser plays.
  const brands = head.startsWith('ftyp', 4) ? head.slice(8, 40) : '';
  if (brands.includes('avif') && !brands.includes('avis')) return 'avif';
  return undefined;
}

/** Formats of pictures that no portal delivers, by their first bytes; their decoders are never called. */
const otherFormats: readonly (readonly [RegExp, string])[] = [
  [/^.{4}ftyp(avi[fs]|msf1)/s, 'an AVIF animation'],
  [/^.{4}ftyp(hei[cxms]|hev[cx]|mif1)/s, 'a HEIC photo'],
  [/^(\xff\n|.{4}JXL )/s, 'a JPEG XL photo'],
  [/^(II\*\0|MM\0\*)/, 'a TIFF file'],
];

/** What the file is instead of a photo, as a clause: "the file is a web page". */
export function describeNonImage(bytes: Buffer): string {
  const head = bytes.toString('latin1', 0, 1_000);
  if (head === '') return 'the file is empty';
  if (head.startsWith('%PDF')) return 'the file is a PDF';
  const other = otherFormats.find(([pattern]) => pattern.test(head));
  if (other) return `the file is ${other[1]}; JPEG, PNG, WebP, AVIF and GIF can be printed`;
  if (/<svg[\s>]/i.test(head)) return 'the file is an SVG drawing';
  if (/^[^\w<]*<(!doctype|html|head|body|\?xml)/i.test(head)) return 'the file is a web page';
  return 'the file is not a photo';
}
