/** A listing as words and placed photos, for a peer that lays its pages out itself; the photos are those of the prepared pages. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Listing } from '../../workers/pdf/listing.ts';
import type { PreparedPages } from './prepared-pages.ts';

export interface PeerListing {
  title: string;
  place: string;
  price: string;
  facts: string[];
  story: string;
  agent: { name: string; phone: string; email: string };
  amenities: string[];
  details: [label: string, value: string][];
  /** QR codes and icons as the page has them: SVG paths in a view box. */
  codes: { viewBox: string; paths: string[] }[];
  icons: { viewBox: string; paths: string[] }[];
  /** The hero first; places in millimetres from the page's top left. */
  photos: { file: string; left: number; top: number; width: number; height: number }[];
}

const svg = /<svg([^>]*) viewBox="([^"]+)"[^>]*>([\s\S]*?)<\/svg>/g;
const imageWithStyle = /<img src="([^"]+)"[^>]* style="([^"]*)"/g;

/** @param folder where the photos are put as files, for the peer to read */
export async function peerListings(
  listings: readonly Listing[],
  { html, assets }: PreparedPages,
  folder: string,
): Promise<PeerListing[]> {
  await mkdir(folder, { recursive: true });
  const files = new Map<string, string>();
  for (const [url, { body, contentType }] of assets) {
    if (contentType !== 'image/jpeg') continue;
    const file = path.join(folder, path.basename(url));
    await writeFile(file, body);
    files.set(url, file);
  }
  const articles = html.split('<article').slice(1);
  return listings.map((listing, index) => ({
    title: listing.title_en,
    place: [listing.tower_name, listing.community, listing.city].join(' · '),
    price: `AED ${listing.price}`,
    facts: [`${listing.bedroom} bedrooms`, `${listing.bathroom} bathrooms`, `${listing.size} sq ft`],
    story: listing.description_en,
    agent: { name: listing.agent.name, phone: listing.agent.phone, email: listing.agent.email },
    amenities: listing.amenities.split(', '),
    details: [
      ['Reference', listing.reference_number],
      ['Type', listing.property_type],
      ['Permit', listing.permit_number],
    ],
    codes: drawingsIn(articles[index] ?? '').filter(({ paths }) => paths.some(path => path.length > 2_000)),
    icons: drawingsIn(articles[index] ?? '').filter(({ paths }) => paths.every(path => path.length <= 2_000)),
    photos: photosIn(articles[index] ?? '', files),
  }));
}

function photosIn(article: string, files: ReadonlyMap<string, string>): PeerListing['photos'] {
  return [...article.matchAll(imageWithStyle)].flatMap(([, url = '', style = '']) => {
    const file = files.get(url);
    const mm = (name: string) => Number(new RegExp(`(?:^|;)${name}:([\\d.]+)mm`).exec(style)?.[1] ?? 0);
    if (file === undefined) return [];
    return [{ file, left: mm('left'), top: mm('top'), width: mm('width'), height: mm('height') }];
  });
}

function drawingsIn(article: string): PeerListing['codes'] {
  return [...article.matchAll(svg)].map(([, , viewBox = '', drawing = '']) => ({
    viewBox,
    paths: [...drawing.matchAll(/ d="([^"]+)"/g)].map(([, path = '']) => path),
  }));
}
