/** A short link: what it is, what kinds there are, and the addresses that are made of it. */

import { z } from 'zod';
import type { Utm } from './link-fields.ts';

/** The kinds of links, and the word each has in paths; a new kind is one line here. */
export const linkKinds = {
  project: 'projects',
  campaign: 'campaigns',
  /** One for each recipient of a message. */
  sms: 'sms',
  /** In printed and sent listings. */
  brochure: 'brochures',
} as const;

export type LinkKind = keyof typeof linkKinds;

/** What a new link is made of. */
export interface LinkDraft {
  kind: LinkKind;
  /** What people read in lists and analytics, 1 to 200 characters; never a phone number or an e-mail address. */
  name: string;
  /** Where it leads, http or https. */
  url: string;
  utm?: Utm | undefined;
  /** Undefined: one is made. */
  slug?: string | undefined;
  /** From then on the link is answered with 410. */
  expiresAt?: Date | undefined;
  /** The campaign that its clicks count for, besides itself. */
  parentId?: string | undefined;
  /** What it is about in the words of its maker: a message's id, a listing's reference. */
  reference?: string | undefined;
  /** The OAuth client it is made for. */
  clientId: string;
}

export interface Link {
  id: string;
  kind: LinkKind;
  name: string;
  url: string;
  utm: Utm;
  /** Where the redirect leads: the address with the UTM parameters. */
  target: string;
  slug: string;
  shortUrl: string;
  parentId: string | null;
  reference: string | null;
  clientId: string;
  expiresAt: Date | null;
  createdAt: Date;
}

/** At the root of the host, so that it stays short. */
export const shortUrlOf = (slug: string, publicUrl: string): string => `${publicUrl}/r/${slug}`;

/** What a QR code opens: the same link, counted as a scan. */
export const scanUrl = (shortUrl: string): string => `${shortUrl}?via=qr`;

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
