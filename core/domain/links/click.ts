/** One click on a short link, as it is kept: who clicked cannot be told from it. */
import { z } from 'zod';

/** Who opened the link: a person; a program; a chat app that shows what is behind a link; a browser ahead of its user. */
export const ClickClass = z.enum(['human', 'bot', 'preview', 'prefetch']);
export type ClickClass = z.infer<typeof ClickClass>;

export const Device = z.enum(['mobile', 'tablet', 'desktop', 'tv']);
export type Device = z.infer<typeof Device>;

export interface Click {
  linkId: string;
  /** Milliseconds since 1970. */
  at: number;
  class: ClickClass;
  /** By the QR code. */
  scanned: boolean;
  /** A UUID that is the same for one person on one day only; null while no salt can be had. */
  visitor: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** The host of the page that the link was on. */
  referrer: string | null;
  device: Device | null;
  browser: string | null;
}

/** How often a link was opened; `total` are people's clicks, scans among them. */
export interface ClickTotals {
  total: number;
  scans: number;
  bots: number;
  previews: number;
  prefetches: number;
}

export const noClicks: Readonly<ClickTotals> = { total: 0, scans: 0, bots: 0, previews: 0, prefetches: 0 };
