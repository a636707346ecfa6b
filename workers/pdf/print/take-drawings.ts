/** Takes the drawings out of a document that is to be printed: the browser would draw each anew, wherever it stands. */
import { LRUCache } from 'lru-cache';
import { attributesOf, drawingInlay, NotDrawable } from './drawing-form.ts';
import type { Inlay } from './stand-ins.ts';

export interface WithoutDrawings {
  /** With pictures in the drawings' places; they have their classes and words. */
  html: string;
  /** By the pictures' URLs. */
  drawings: Map<string, Inlay>;
}

/** An SVG that says its own colour is a drawing; other SVGs take theirs from where they stand and stay. */
const drawn = /<svg class="([^"]*)" color="([^"]*)"([^>]*)>(.*?)<\/svg>/gs;
const reference = /^<use href="#([^"]*)"\/>$/;
const symbols = /<symbol id="([^"]*)"([^>]*)>(.*?)<\/symbol>/gs;

/** Null is one that cannot be drawn. A code costs as much to convert as to print, and listings are printed again and again. */
const known = new LRUCache<string, { inlay: Inlay | null }>({ max: 1_000 });

export function takeDrawings(html: string): WithoutDrawings {
  const sheet = new Map(
    [...html.matchAll(symbols)].map(([, id = '', markup = '', shapes = '']) => [id, { markup, shapes }]),
  );
  const drawings = new Map<string, Inlay>();
  const without = html.replace(
    drawn,
    (svg, look: string, colour: string, markup: string, content: string) => {
      const shown = sheet.get(reference.exec(content)?.[1] ?? '') ?? { markup, shapes: content };
      const inlay = inlayOf(colour, shown.markup, shown.shapes);
      if (inlay === null) return svg;
      const url = `https://brochure.invalid/drawings/${inlay.hash}`;
      drawings.set(url, inlay);
      const words = /\baria-label="([^"]*)"/.exec(markup)?.[1] ?? '';
      return `<img class="${look}" alt="${words}" src="${url}">`;
    },
  );
  return { html: without, drawings };
}

function inlayOf(colour: string, markup: string, shapes: string): Inlay | null {
  const key = `${colour} ${markup} ${shapes}`;
  const { inlay } = known.get(key) ?? { inlay: drawIfPossible(colour, markup, shapes) };
  known.set(key, { inlay });
  return inlay;
}

function drawIfPossible(colour: string, markup: string, shapes: string): Inlay | null {
  try {
    return drawingInlay({ colour, attributes: attributesOf(markup), shapes });
  } catch (error) {
    if (error instanceof NotDrawable) return null;
    throw error;
  }
}
