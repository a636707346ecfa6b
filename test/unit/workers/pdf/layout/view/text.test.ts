import { describe, expect, it } from 'vitest';
import { cleanLines, cleanText, directed } from '../../../../../../workers/pdf/layout/view/text.ts';

describe('CRM text', () => {
  it.each([
    ['Sea &amp; sky', 'Sea & sky'],
    ['5&nbsp;rooms &#8211; &#x2013;', '5 rooms – –'],
    ['&unknown; &#0; &#xD800;', '&unknown; &#0; &#xD800;'],
    ['<b>Bold</b> <span style="x">plain</span>', 'Bold plain'],
    ['a < b and c > d', 'a < b and c > d'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['&lt;b&gt;', '<b>'],
    ['\u202Eevil\u202C \u2067x\u2069', 'evil x'],
    ['a\u0000b\u0007c\u200Bd\uFEFF', 'abcd'],
    ['tab\there  twice', 'tab here twice'],
    ['𝗣𝗿𝗶𝘃𝗮𝘁𝗲 𝑝𝑜𝑜𝑙', 'Private pool'],
    ['👩‍👧 stays joined', '👩‍👧 stays joined'],
    ['lone \uD83D half', 'lone half'],
  ])('%j is cleaned to %j', (raw, expected) => {
    expect(cleanText(raw)).toBe(expected);
  });

  it('has line breaks in place of block tags', () => {
    expect(cleanLines('One<br/>two</p><p class="x">three<ul><li>four</li></ul>\r\n\r\n\r\n\r\nfive')).toBe(
      'One\ntwo\n\nthree\n\n• four\n\nfive',
    );
  });
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
