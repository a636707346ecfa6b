/** A short link: what it is, what kinds there are, and the addresses that are made of it. */
import type { Utm } from './utm.ts';

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
