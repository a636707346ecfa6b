/** Icons are defined once per document and referred to. */
import { describe, expect, it } from 'vitest';
import { iconReference, iconSheet, loadIcons, ruleDrawing } from '../../../../../workers/pdf/layout/icons.ts';
import { amenityIcon, amenityIconNames } from '../../../../../workers/pdf/layout/view/amenities.ts';
import { factIconNames } from '../../../../../workers/pdf/layout/view/facts.ts';

describe('the icons', () => {
  it('exist for the pages, all facts and all amenities, each as one symbol', async () => {
    const icons = await loadIcons();
    const needed = ['phone', 'mail', 'message-circle', 'map-pin', 'globe', ...factIconNames, ...amenityIconNames];
    expect([...icons.keys()].sort()).toEqual([...new Set(needed)].sort());
    expect(icons.has(amenityIcon('Pool'))).toBe(true);
    for (const [name, symbol] of icons) {
      expect(symbol).toMatch(new RegExp(`^<symbol id="icon-${name}" viewBox="0 0 24 24" [^>]*><[a-z].*/></symbol>$`));
      expect(symbol).not.toMatch(/<svg|<!--|\n|> </);
    }
  });

  it('of a document are those of its pages and those it uses, once each, and the line', () => {
    const names = ['phone', 'mail', 'message-circle', 'map-pin', 'globe', 'bath', 'sofa'];
    const icons = new Map(names.map(name => [name, `[${name}]`]));
    const sheet = iconSheet(icons, ['bath', 'bath', 'unknown']);
    expect(sheet.match(/\[[a-z-]+\]/g)).toEqual([
      '[phone]',
      '[mail]',
      '[message-circle]',
      '[map-pin]',
      '[globe]',
      '[bath]',
    ]);
    expect(sheet).toMatch(/^<svg width="0" height="0" [^>]*><symbol id="rule" .*<\/svg>$/);
    expect(sheet).not.toContain('undefined');
  });

  it('are drawn in the colour of the text or in their own', () => {
    expect(iconReference('bath')).toBe('<svg class="icon" aria-hidden="true"><use href="#icon-bath"/></svg>');
    expect(iconReference('bath', '#8A5A2B')).toContain('<svg class="icon" color="#8A5A2B" ');
    expect(ruleDrawing('#123456', false)).toContain('<svg class="rule" color="#123456" ');
    expect(ruleDrawing('#123456', true)).toContain('<svg class="rule end" color="#123456" ');
  });
});
