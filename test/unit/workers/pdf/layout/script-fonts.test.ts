import { create } from 'fontkit';
import { describe, expect, it } from 'vitest';
import { loadDesignAssets } from '../../../../../workers/pdf/layout/design-assets.ts';
import { isPrintable, scriptAssets, scriptRules } from '../../../../../workers/pdf/layout/script-fonts.ts';

const { fonts, fontStyles } = await loadDesignAssets();
const rule = /url\("([^"]+)"\)[^}]*?unicode-range: ([^;]+);/g;

/** Space and format characters need no glyph. */
const invisible = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/u;

/** The characters that a rule declares and its font does not have. */
function withoutGlyph(url: string, ranges: string): string[] {
  const font = create((fonts.get(url) ?? scriptAssets().get(url))?.body ?? Buffer.alloc(0));
  const glyphs = new Set('characterSet' in font ? font.characterSet : []);
  return ranges.split(',').flatMap(range => {
    const [from = 0, to = from] = range
      .replace('U+', '')
      .split('-')
      .map(part => Number.parseInt(part, 16));
    const points = Array.from({ length: to - from + 1 }, (_, at) => from + at);
    return points
      .filter(point => point > 0xff && !glyphs.has(point) && !invisible.test(String.fromCodePoint(point)))
      .map(point => point.toString(16));
  });
}

describe('the fonts', () => {
  it('have a glyph for each character that their rules declare', () => {
    for (const [, url = '', ranges = ''] of fontStyles.matchAll(rule)) {
      expect(withoutGlyph(url, ranges), url).toEqual([]);
    }
  });

  it('of Chinese and Devanagari have a glyph for each character of their slices', () => {
    const all = Array.from({ length: 0x10000 }, (_, point) => String.fromCodePoint(point));
    const rules = [...scriptRules(all.join('')).matchAll(rule)];
    expect(rules.length).toBeGreaterThan(150);
    for (const [, url = '', ranges = ''] of rules) expect(withoutGlyph(url, ranges), url).toEqual([]);
  });
});

describe('a document', () => {
  it.each(['Villa – AED 2,450,000', 'فيلا للبيع', 'Вилла на Пальме', '🏡 ✓ ➤'])(
    'gets no fonts of further scripts for %s',
    text => {
      expect(scriptRules(text)).toBe('');
    },
  );

  it('gets the slices of its characters in two weights', () => {
    const urls = [...scriptRules('棕榈岛 हिन्दी').matchAll(/fonts\/([\w-]+)-normal/g)].map(([, file = '']) => file);
    expect(urls).toContain('noto-sans-devanagari-devanagari-400');
    expect(urls).toContain('noto-sans-devanagari-devanagari-600');
    expect(urls.filter(file => file.startsWith('noto-sans-sc')).length).toBeLessThanOrEqual(6);
  });
});

describe('a character', () => {
  it.each([...'aéŁЖفپٹ₹棕億かア。हि🏡✓'])('%s can be printed', character => {
    expect(isPrintable(character)).toBe(true);
  });

  it.each([...'กখ한אა'])('%s cannot be printed', character => {
    expect(isPrintable(character)).toBe(false);
  });
});
