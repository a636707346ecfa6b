import { describe, expect, it } from 'vitest';
import { planSlots, plansByPage } from '../../../../../workers/pdf/layout/floor-plans.ts';
import { cropSize } from '../../../../../workers/pdf/photos/crop-photos.ts';

const shapes = {
  landscape: { widthPx: 2028, heightPx: 1416 },
  portrait: { widthPx: 1188, heightPx: 1584 },
  wide: { widthPx: 4000, heightPx: 500 },
  small: { widthPx: 200, heightPx: 150 },
};

describe('floor plans', () => {
  it('keep the shape of their drawing, so that nothing is cut away', () => {
    for (const shape of Object.values(shapes)) {
      const [slot] = planSlots([shape]);
      expect((slot?.widthMm ?? 0) / (slot?.heightMm ?? 1)).toBeCloseTo(shape.widthPx / shape.heightPx, 1);
      const { whole, widthPx, heightPx } = cropSize(slot ?? expect.fail(), shape, 300);
      expect(whole.widthPx - widthPx).toBeLessThanOrEqual(2);
      expect(whole.heightPx - heightPx).toBeLessThanOrEqual(2);
    }
  });

  it('fill the page: a single one is as wide as the text', () => {
    expect(planSlots([shapes.landscape])[0]?.widthMm).toBe(182);
  });

  it('are side by side when that makes them larger', () => {
    const [first, second] = planSlots([shapes.portrait, shapes.portrait]);
    expect([first?.widthMm, second?.widthMm]).toEqual([87, 87]);
  });

  it('are below each other when that makes them larger', () => {
    const slots = planSlots([shapes.landscape, shapes.landscape]);
    expect(slots.map(({ name, isDrawing, heightMm }) => [name, isDrawing, heightMm])).toEqual([
      ['plan', true, 102],
      ['plan', true, 102],
    ]);
  });

  it('leave space for their caption', () => {
    expect(planSlots([shapes.portrait])[0]).toMatchObject({ widthMm: 165, heightMm: 220, crop: 'centre' });
  });

  it('are never enlarged below 72 dpi', () => {
    expect(planSlots([shapes.small])[0]?.widthMm).toBeCloseTo((200 / 72) * 25.4, 1);
  });

  it.each([1, 2, 3, 4, 5, 6])('fit on their pages, at most two on each (%i)', count => {
    for (const shape of Object.values(shapes)) {
      const slots = planSlots(Array.from({ length: count }, () => shape));
      expect(slots).toHaveLength(count);
      for (const page of plansByPage(slots)) {
        expect(page.length).toBeLessThanOrEqual(2);
        const columns = Math.max(1, Math.floor(182 / (page[0]?.widthMm ?? 182)));
        const rows = Math.ceil(page.length / columns);
        expect(rows * ((page[0]?.heightMm ?? 0) + 8)).toBeLessThanOrEqual(228.1);
      }
    }
  });

  it('of no listing have no slot', () => {
    expect(planSlots([])).toEqual([]);
  });
});
