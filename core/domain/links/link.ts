/** Types of short links and of clicks on them, and the addresses built from a slug. */
import { z } from 'zod';
import type { Utm } from './link-fields.ts';

/** Link kinds, each with its path segment in the API. */
export const linkKinds = {
  project: 'projects',
  campaign: 'campaigns',
  /** One link per recipient of a message. */
  sms: 'sms',
  /** In printed and sent listings. */
  brochure: 'brochures',
  /** To results that were sent by e-mail. The target grants access to the result. */
  mail: 'mails',
} as const;

export type LinkKind = keyof typeof linkKinds;

export interface LinkDraft {
  kind: LinkKind;
  /** Shown in lists and analytics, 1 to 200 characters. Must not contain a phone number or an e-mail address. */
  name: string;
  /** The destination, http or https. */
  url: string;
  utm?: Utm | undefined;
  /** Undefined: a random slug is generated. */
  slug?: string | undefined;
  /** From this time the link answers 410. */
  expiresAt?: Date | undefined;
  /** The campaign or project whose analytics include the clicks on this link. */
  parentId?: string | undefined;
  /** An id chosen by the creator, such as a message id or a listing reference. */
  reference?: string | undefined;
  /** The OAuth client that owns the link. */
  clientId: string;
}

/** At the root of the host, without the base path, to keep it short. */
export const shortUrlOf = (slug: string, publicUrl: string): string => `${publicUrl}/r/${slug}`;

/** The address in QR codes: the same link, counted as a scan. */
export const scanUrl = (shortUrl: string): string => `${shortUrl}?via=qr`;

/** A person; a program; a chat app that fetches a link preview; a browser that prefetches. */
export const ClickClass = z.enum(['human', 'bot', 'preview', 'prefetch']);
export type ClickClass = z.infer<typeof ClickClass>;

export const Device = z.enum(['mobile', 'tablet', 'desktop', 'tv']);
export type Device = z.infer<typeof Device>;

/** `total` counts clicks by people, `scans` those of them by QR code. */
export const noClicks = { total: 0, scans: 0, bots: 0, previews: 0, prefetches: 0 };
export type ClickTotals = typeof noClicks;
