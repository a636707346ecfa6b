/** The fonts that a page has loaded, which stay there from one document to the next. */
import type { FontFace } from './font-faces.ts';
import { dataUrl } from './inline-assets.ts';

export class PageFonts {
  readonly #loaded = new Map<string, FontFace>();

  /**
   * @param all the faces of a document
   * @param needed those of them that its characters ask for
   * @returns what the page has to run before it shows the document, so that it has these fonts and no others
   */
  scriptFor(all: readonly FontFace[], needed: readonly FontFace[]): string {
    const named = new Map(all.map(face => [nameOf(face), face]));
    const strangers = [...this.#loaded].some(([name, { font }]) => named.get(name)?.font !== font);
    if (strangers) this.#loaded.clear();
    const missing = needed.filter(face => !this.#loaded.has(nameOf(face)));
    for (const face of missing) this.#loaded.set(nameOf(face), face);
    return [...(strangers ? ['document.fonts.clear();'] : []), ...missing.map(addition)].join('\n');
  }
}

const nameOf = ({ family, descriptors }: FontFace): string => JSON.stringify([family, descriptors]);

function addition({ family, font, descriptors }: FontFace): string {
  const given = [family, `url(${dataUrl(font)})`, descriptors].map(each => JSON.stringify(each));
  return `document.fonts.add(new FontFace(${given.join(', ')}));`;
}
