/**
 * Extracts the text, drawings and photo positions of listings from prepared HTML pages, for a peer with its own layout.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PreparedPages } from './prepared-pages.ts';

export interface Drawing {
  viewBox: string;
  shapes: { kind: string; attributes: Record<string, string> }[];
}

/** Text with an icon; `href` if it is a link. */
interface Labelled {
  icon: Drawing | undefined;
  text: string;
  href?: string;
}

export interface PeerListing {
  badge: string;
  title: string;
  place: string;
  price: string;
  perSquareFoot: string;
  facts: Labelled[];
  story: string[];
  agent: { name: string; role: string; photo: string; ways: Labelled[] };
  amenities: Labelled[];
  details: [label: string, value: string][];
  codes: { drawing: Drawing; href: string; words: string[] }[];
  /** The logos of the house, one entry for each occurrence. */
  marks: Drawing[];
  house: string;
  /** Text next to the last logo. */
  seal: string[];
  disclaimer: string;
  /** Left and right footer of each page. */
  footers: [left: string, right: string][];
  /** The hero photo first; positions in millimetres from the top left of the page. */
  photos: { file: string; left: number; top: number; width: number; height: number }[];
}

/** @param folder folder for the photo files that the peer reads */
export async function peerListings({ html, assets }: PreparedPages, folder: string): Promise<PeerListing[]> {
  await mkdir(folder, { recursive: true });
  const files = new Map<string, string>();
  for (const [url, { body, contentType }] of assets) {
    if (contentType !== 'image/jpeg') continue;
    const file = path.join(folder, path.basename(url));
    await writeFile(file, body);
    files.set(url, file);
  }
  const [head = '', ...articles] = html.split('<article');
  const icons = new Map(
    all(head, /<symbol id="([^"]+)"([^>]*>.*?)<\/symbol>/gs).map(([name, body]) => [name, drawingOf(body)]),
  );
  return articles.map(article => listingIn(article, icons, files));
}

function listingIn(
  article: string,
  icons: ReadonlyMap<string, Drawing>,
  files: ReadonlyMap<string, string>,
): PeerListing {
  const labelled = (item: string): Labelled => {
    const href = first(item, /href="([a-z]+:[^"]+)"/);
    return {
      icon: icons.get(first(item, /<use href="#([^"]+)"/)),
      text: wordsOf(item),
      ...(href !== '' && { href: href.replaceAll('&#x3D;', '=').replaceAll('&amp;', '&') }),
    };
  };
  const itemsOf = (list: RegExp): Labelled[] =>
    all(first(article, list), /<li>(.*?)<\/li>/gs).map(([item]) => labelled(item));
  return {
    badge: wordsIn(article, /<p class="badge[^>]*>(.*?)<\/p>/s),
    title: wordsIn(article, /<h1[^>]*>(.*?)<\/h1>/s),
    place: wordsIn(article, /<p class="place"[^>]*>(.*?)<\/p>/s),
    price: wordsIn(article, /<p class="amount">(.*?)<\/p>/s),
    perSquareFoot: wordsIn(article, /<p class="per-square-foot">(.*?)<\/p>/s),
    facts: itemsOf(/<ul class="facts">(.*?)<\/ul>/s),
    story: all(first(article, /<div class="story"[^>]*>(.*?)<\/div>/s), /<(?:p|h3|li)[^>]*>(.*?)<\/(?:p|h3|li)>/gs).map(
      ([paragraph]) => wordsOf(paragraph),
    ),
    agent: {
      name: wordsIn(article, /<p class="name"[^>]*>(.*?)<\/p>/s),
      role: wordsIn(article, /<p class="role"[^>]*>(.*?)<\/p>/s),
      photo: files.get(first(article, /<div class="portrait"><img src="([^"]+)"/)) ?? '',
      ways: itemsOf(/<ul class="ways">(.*?)<\/ul>/s),
    },
    amenities: itemsOf(/<ul class="amenity-list"[^>]*>(.*?)<\/ul>/s),
    details: all(article, /<dt>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>/gs).map(([label, value]) => [
      wordsOf(label),
      wordsOf(value),
    ]),
    codes: all(article, /<section class="proof">(.*?)<\/section>/gs).map(([proof]) => ({
      drawing: drawingOf(first(proof, /<svg(.*?)<\/svg>/s)),
      href: labelled(proof).href ?? '',
      words: all(proof, /<(?:h2|p)[^>]*>(.*?)<\/(?:h2|p)>/gs).map(([line]) => wordsOf(line)),
    })),
    marks: all(article, /<svg class="brand-mark"(.*?)<\/svg>/gs).map(([mark]) => drawingOf(mark)),
    house: wordsIn(article, /<span class="house">(.*?)<\/span>/s),
    seal: all(first(article, /<section class="seal">(.*?)<\/section>/s), /<p[^>]*>(.*?)<\/p>/gs).map(([line]) =>
      wordsOf(line),
    ),
    disclaimer: wordsIn(article, /<p class="disclaimer"[^>]*>(.*?)<\/p>/s),
    footers: all(article, /<footer class="footer">(.*?)<\/footer>/gs).map(([footer]) => [
      wordsIn(footer, /<span class="licence"[^>]*>(.*?)<\/span>/s),
      wordsIn(footer, /<span class="folio"[^>]*>(.*?)<\/span>/s),
    ]),
    photos: photosIn(article, files),
  };
}

function photosIn(article: string, files: ReadonlyMap<string, string>): PeerListing['photos'] {
  return all(article, /<img src="([^"]+)"[^>]* style="([^"]*)"/g).flatMap(([url, style]) => {
    const file = files.get(url);
    const mm = (name: string) => Number(first(style, new RegExp(`(?:^|;)${name}:([\\d.]+)mm`)) || 0);
    if (file === undefined) return [];
    const [width, height] = [mm('width'), mm('height')];
    return [{ file, left: mm('inset-inline-start'), top: mm('top'), width, height }];
  });
}

/** The groups of each match. */
const all = (text: string, pattern: RegExp): [first: string, second: string][] =>
  [...text.matchAll(pattern)].map(([, one = '', two = '']) => [one, two]);

/** The first group of the first match, or ''. */
const first = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';

const wordsIn = (text: string, pattern: RegExp): string => wordsOf(first(text, pattern));

const wordsOf = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** @param markup from the attributes of an element to the end of its content */
function drawingOf(markup: string): Drawing {
  const shapes = [...markup.matchAll(/<(path|circle|rect|line|ellipse|polyline|polygon)\s([^>]*)>/g)];
  return {
    viewBox: first(markup, /viewBox="([^"]+)"/),
    shapes: shapes.map(([, kind = '', attributes = '']) => ({
      kind,
      attributes: Object.fromEntries(all(attributes, /([\w-]+)="([^"]*)"/g)),
    })),
  };
}
