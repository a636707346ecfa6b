/** The pages after those of the design: further photos, then floor plans. */
import { groupBy } from '../../../../core/values/group-by.ts';
import type { PhotoView } from '../document-view.ts';
import { plansByPage } from '../floor-plans.ts';
import { furtherPageOf } from '../further-photos.ts';
import type { Labels } from '../labels.ts';

/** The placed photos and the floor plans of one listing. */
interface Pictures {
  photos: readonly { slot: { name: string } }[];
  plans?: readonly { slot: Pick<PhotoView, 'widthMm' | 'heightMm'>; src: string }[];
}

export const countFurtherPages = ({ photos, plans = [] }: Pictures): number =>
  1 + Math.max(-1, ...photos.map(({ slot }) => furtherPageOf(slot.name) ?? -1)) + plansByPage(plans).length;

/** @param photos all of the listing @param firstPage number of the first of these pages */
export function furtherPagesOf(
  { plans = [] }: Pictures,
  photos: readonly PhotoView[],
  { placeLine, labels, firstPage }: { placeLine: string; labels: Labels; firstPage: number },
) {
  const where = placeLine === '' ? '' : `, ${placeLine}`;
  const drawings = plans.map(({ slot, src }, at) => {
    const number = plans.length === 1 ? '' : ` ${at + 1} ${labels.plain('of')} ${plans.length}`;
    const caption = `${labels.plain('floorPlan')}${number}`;
    return { src, widthMm: slot.widthMm, heightMm: slot.heightMm, printed: slot, caption, alt: `${caption}${where}` };
  });
  const further = photos.filter(({ slot }) => furtherPageOf(slot) !== undefined);
  const pagesOfPhotos = [...groupBy(further, ({ slot }) => slot).values()].map((items, at) => ({
    heading: labels.label('photographs'),
    isFirst: at === 0,
    isOfPhotos: true,
    items: items.map(item => ({ ...item, caption: '' })),
  }));
  const pagesOfPlans = plansByPage(drawings).map((items, at) => ({
    heading: labels.label('floorPlans'),
    isFirst: at === 0,
    isOfPhotos: false,
    items,
  }));
  return [...pagesOfPhotos, ...pagesOfPlans].map((page, at) => ({ ...page, page: firstPage + at }));
}
