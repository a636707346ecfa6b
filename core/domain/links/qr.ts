/** The QR code of a short link. What it opens is counted as a scan. */
import QRCode from 'qrcode';
import { scanUrl } from './link.ts';

/** Medium correction reads well on paper; ISO/IEC 18004 asks for four modules of white around the code. */
const look = { errorCorrectionLevel: 'M', margin: 4 } as const;

/** A vector image, sharp at any size. */
export const qrSvg = (shortUrl: string, size: number): Promise<string> =>
  QRCode.toString(scanUrl(shortUrl), { ...look, type: 'svg', width: size });

/** @param size width and height in pixels */
export const qrPng = (shortUrl: string, size: number): Promise<Buffer> =>
  QRCode.toBuffer(scanUrl(shortUrl), { ...look, type: 'png', width: size });
