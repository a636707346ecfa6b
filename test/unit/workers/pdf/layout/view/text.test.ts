import { describe, expect, it } from 'vitest';
import {
  cleanLines,
  cleanText,
  comparable,
  directed,
  missingCharacters,
  shortened,
} from '../../../../../../workers/pdf/layout/view/text.ts';

describe('CRM text', () => {
  it.each([
    ['Sea &amp; sky', 'Sea & sky'],
    ['5&nbsp;rooms &#8211; &#x2013;', '5 rooms – –'],
    ['&unknown; &#0; &#xD800;', '&unknown; &#0; &#xD800;'],
    ['<b>Bold</b> <span style="x">plain</span>', 'Bold plain'],
    ['a < b and c > d', 'a < b and c > d'],
    ['a<script>alert(1)</script>b<!-- c -->d<style>p{}', 'abd'],
    ['&lt;script&gt;alert(1)&lt;/script&gt;', ''],
    ['First line\\nsecond\\r\\nthird', 'First line second third'],
    ['<img src="x"><a href="y">link</a>', 'link'],
    ['&lt;b&gt;bold&lt;/b&gt;', 'bold'],
    ['\u202Eevil\u202C \u2067x\u2069', 'evil x'],
    ['a\u0000b\u0007c\u200Bd\uFEFF', 'abcd'],
    ['tab\there  twice', 'tab here twice'],
    ['𝗣𝗿𝗶𝘃𝗮𝘁𝗲 𝑝𝑜𝑜𝑙', 'Private pool'],
    ['👩‍👧 stays joined', '👩‍👧 stays joined'],
    ['lone \uD83D half', 'lone half'],
    ['&AMP; &Eacute; &sup2;', '& é ²'],
    ['&#128512; &#1114112; &#57343; &#57344;', '😀 &#1114112; &#57343;'],
    ['&#x41; &#65 &amp', 'A &#65 &amp'],
    ['<p>One</p>', 'One'],
    ['a <b class="x">bold</b><sup>2</sup> <em>text</em>', 'a bold2 text'],
    ['<bold>x</bold> <h7> <Al Suwaidi>', '<bold>x</bold> <h7> <Al Suwaidi>'],
    ['<li>One<LI class="x">Two', '• One • Two'],
    ['one\vtwo\fthree', 'one two three'],
    ['soft\u00ADhyphen \u0085 next', 'softhyphen next'],
    ['a\u2028b\u2029c\rd', 'a b c d'],
    ['private \uE000 use \u{E0041}', 'private use'],
    ['\uFDFD', 'بسم الله الرحمن الرحيم'],
    ['\uFDF2', 'الله'],
    ['نام\u200Cها', 'نام\u200Cها'],
    ['  both ends\t', 'both ends'],
    ['One\n\nTwo', 'One Two'],
  ])('%j is cleaned to %j', (raw, expected) => {
    expect(cleanText(raw)).toBe(expected);
  });

  it('has line breaks in place of block tags', () => {
    expect(cleanLines('One<br/>two</p><p class="x">three<ul><li>four</li></ul>\r\n\r\n\r\n\r\nfive')).toBe(
      'One\ntwo\n\nthree\n\n• four\n\nfive',
    );
  });

  it('has the rows of a table as lines', () => {
    const table = '<table><tr><th>Unit</th><th>Size</th></tr>\n<tr><td>A1</td> <td class="x">812</td></tr></table>';
    expect(cleanLines(table)).toBe('Unit · Size\n\nA1 · 812');
  });

  it('is cleaned in linear time', () => {
    const hostile = '<script '.repeat(20_000) + '<!--'.repeat(20_000) + '</td>'.repeat(20_000);
    const started = performance.now();
    cleanLines(hostile);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('keeps its lines without spaces at their ends, and one empty line', () => {
    expect(cleanLines('\n One \r Two\u00A0 three \n \n\n\nFour\n')).toBe('One\nTwo three\n\nFour');
  });
});

describe('a character that no font has', () => {
  it.each([
    ['Villa | 한국어 | Sea view', 'Villa | Sea view'],
    ['한국어 | Villa', 'Villa'],
    ['Villa – 한국어!', 'Villa'],
    ['Villa (한국어), with a pool', 'Villa, with a pool'],
    ['• 한국어 • Pool', '• Pool'],
    ['Semi-detached 한국', 'Semi-detached'],
    ['A 한 B | C', 'A B | C'],
    ['한국어', ''],
    ['One\n한국어\n\nTwo', 'One Two'],
    ['&#54620;&#xAD6D; – Villa', 'Villa'],
  ])('is left out of %j with its separators: %j', (raw, expected) => {
    expect(cleanText(raw)).toBe(expected);
  });

  it.each([
    ['e\u0301tage', 'étage'],
    ['25\u2011year lease \u2015 \uFB01ne', '25-year lease — fine'],
    ['①②', '12'],
  ])('is printed in another form that a font has: %j as %j', (raw, expected) => {
    expect(cleanText(raw)).toBe(expected);
    expect(missingCharacters(raw)).toEqual([]);
  });

  it('is reported once', () => {
    expect(missingCharacters('ก ข ก Villa 棕榈 हिन्दी Вилла فيلا 🏡')).toEqual(['ก', 'ข']);
    expect(missingCharacters('&#3585;')).toEqual(['ก']);
  });
});

describe('a shortened text', () => {
  it.each([
    ['12345', '12345'],
    ['123456', '1234…'],
    ['123 56', '123…'],
  ])('of %j with at most five characters is %j', (text, expected) => expect(shortened(text, 5)).toBe(expected));
});

describe('comparable texts', () => {
  it.each([
    ['  “Saheel  Villas!” ', 'saheel villas'],
    ['PHASE 2', 'phase 2'],
    ['A/C (new)', 'a/c (new'],
    ['Ｆｕｌｌ', 'full'],
    ['x', 'x'],
    ['***', ''],
    ['', ''],
  ])('%j is %j', (text, expected) => expect(comparable(text)).toBe(expected));
});

describe('directed', () => {
  it.each([
    ['Villa', 'ltr', 'en'],
    ['فيلا Miele', 'rtl', 'ar'],
    ['🏡 123 فيلا', 'rtl', 'ar'],
    ['Miele في', 'ltr', 'en'],
    ['שלום', 'rtl', 'en'],
    ['1,250', 'ltr', 'en'],
    ['', 'ltr', 'en'],
  ])('gives %j the direction %s and the language %s', (text, dir, lang) => {
    expect(directed(text)).toEqual({ text, dir, lang });
  });
});
