/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Fits the text of a loaded brochure to its boxes. `fitText` runs in the browser, after the fonts have loaded, and uses
 * only types of this module. It also works when the page's own JavaScript is disabled.
 */
import { z } from 'zod';

/** The adjustment of one field. */
export const TextFit = z.object({
  /** Position of the listing in the request, from 0. */
  listing: z.int(),
  /** The listing's field, such as title_en. */
  field: z.string(),
  /** 0: normal font size; 1 and 2: smaller ones. */
  level: z.literal([0, 1, 2]),
  /** Part of the text was removed. */
  cut: z.boolean(),
});
export type TextFit = z.output<typeof TextFit>;

/**
 * Reads these attributes inside elements with `data-listing`:
 * - `data-fit="title_en"`: a box with a maximum height, or whose words must not break. Sets the class fit-1, then fit-2, then
 *   cuts the text.
 * - `data-flow="description_en"`: the boxes that a text flows through, in order, each with a fixed height. The first one
 *   holds the text as `p`, `h3` and `ul > li` without inner markup. All share one level. Sets `data-flow-empty` on a box
 *   that stays empty.
 * - `data-compact`: a column. Sets the class compact when its content is too high.
 * - `data-items="amenities"`: a list. Removes `li` from the end until it fits; the last one, `data-more="more"`, then
 *   shows the number of removed items and this word.
 * - `data-rows`: a list of rows with `dt` and `dd`. Removes rows from the end until it fits.
 */
export function fitText(): TextFit[] {
  const fits: TextFit[] = [];
  const ellipsis = '…';
  const lineHeightOf = (box: Element) => Number.parseFloat(getComputedStyle(box).lineHeight);

  /** By half a line or more: tall glyphs on tight lines extend beyond the box although no line is lost. */
  const overflows = (box: Element) => {
    const excess = box.scrollHeight - box.clientHeight;
    return excess > 1 && excess > lineHeightOf(box) / 2;
  };
  const listingOf = (box: Element) => Number(box.closest('[data-listing]')?.getAttribute('data-listing'));

  /** Reports a field in several boxes once, with the worst result; not a text of several listings, which has none. */
  function report(box: Element, field: string | null, level: 0 | 1 | 2, cut: boolean) {
    const listing = listingOf(box);
    if (Number.isNaN(listing)) return;
    const known = fits.find(fit => fit.listing === listing && fit.field === field);
    if (known === undefined) fits.push({ listing, field: field ?? '', level, cut });
    else {
      known.level = level > known.level ? level : known.level;
      known.cut ||= cut;
    }
  }

  function setLevel(boxes: readonly Element[], level: 0 | 1 | 2) {
    for (const box of boxes) {
      box.classList.toggle('fit-1', level === 1);
      box.classList.toggle('fit-2', level === 2);
    }
  }

  /** The greatest count in 0..max for which `holds` is true; it must be true for all smaller counts. */
  function greatest(max: number, holds: (count: number) => boolean): number {
    let low = 0;
    let high = max;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (holds(middle)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Cuts before a word if possible, for an ellipsis. */
  function atWord(text: string, length: number): string {
    const head = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
    const atEndOfWord = length >= text.length || /\s/.test(text.charAt(length));
    const space = atEndOfWord ? head.length : head.search(/\s\S*$/);
    const whole = space > head.length - 40 && space > 0 ? head.slice(0, space) : head;
    return whole.replace(/[\s,;:·–—-]+$/, '');
  }

  /** The number of characters in the lines above `limit`. Does not change the document. */
  function lengthAbove(text: Node | null, limit: number): number {
    if (text === null) return 0;
    const range = document.createRange();
    return greatest((text.textContent ?? '').length, end => {
      range.setStart(text, end - 1);
      range.setEnd(text, end);
      const rect = range.getBoundingClientRect();
      return rect.height === 0 || (rect.top + rect.bottom) / 2 <= limit;
    });
  }

  /** Exact to the pixel, for boxes whose height is not a whole number of lines. */
  function runsOver(box: Element): boolean {
    const limit = bottomOf(box) + 1;
    const last = [...box.querySelectorAll('p, h3, li')].slice(-3);
    return last.some(leaf => leaf.getBoundingClientRect().bottom > limit);
  }

  const bottomOf = (box: Element) => box.getBoundingClientRect().top + box.clientHeight;

  interface Ending {
    leaf: Element;
    /** Characters of the leaf to keep. */
    length: number;
    fits: () => boolean;
  }

  /** Ends texts with an ellipsis and drops a few words for it. All texts at once: one layout per round, not per text. */
  function endWithEllipsis(endings: readonly Ending[]) {
    let open = endings.map(ending => ({ ...ending, text: ending.leaf.textContent ?? '' }));
    for (let dropped = 0; dropped <= 1_000 && open.length > 0; dropped += dropped < 24 ? 2 : dropped) {
      for (const { leaf, text, length } of open) {
        leaf.textContent = `${atWord(text, Math.max(1, length - dropped))}${ellipsis}`;
      }
      open = open.filter(ending => !ending.fits());
    }
  }

  /** Only a box with `overflow-wrap: normal`: in others, words break at any letter. */
  const isTooWide = (box: Element) => box.scrollWidth > box.clientWidth + 1;
  const isTight = (box: Element) => overflows(box) || isTooWide(box);

  /** Each step handles all boxes: the browser computes the layout once per step, not once per box. */
  function fitBoxes(all: readonly Element[]) {
    // Phrases that are kept together may break again where they are wider than the box.
    for (const box of all.filter(isTooWide)) box.innerHTML = box.innerHTML.replace(/&nbsp;(?![|•·])/g, ' ');
    let boxes = all.filter(isTight);
    for (const level of [1, 2] as const) {
      setLevel(boxes, level);
      const tight = boxes.filter(isTight);
      for (const box of boxes) if (!tight.includes(box)) report(box, box.getAttribute('data-fit'), level, false);
      boxes = tight;
    }
    // Texts to cut become plain text.
    for (const box of boxes) box.textContent = String(box.textContent);
    const lengths = boxes.map(box => lengthAbove(box.firstChild, bottomOf(box)));
    endWithEllipsis(boxes.map((leaf, at) => ({ leaf, length: lengths[at] ?? 0, fits: () => !overflows(leaf) })));
    for (const box of boxes) report(box, box.getAttribute('data-fit'), 2, true);
  }

  function dropItems(box: Element) {
    const more = box.querySelector<HTMLElement>('[data-more]');
    const items = [...box.querySelectorAll<HTMLElement>('li:not([data-more])')];
    if (more === null) return;
    const word = more.getAttribute('data-more') || 'more';
    const show = (count: number) => {
      for (const [at, item] of items.entries()) item.style.display = at < count ? '' : 'none';
      more.textContent = `+${items.length - count} ${word}`;
      return !runsOver(box);
    };
    const count = greatest(items.length - 1, show);
    // No space for a single line: without its heading, too.
    if (!show(count)) box.closest('section')?.replaceChildren();
    for (const item of items.slice(count)) item.remove();
    report(box, box.getAttribute('data-items'), 0, true);
  }

  function dropRows(box: Element) {
    const limit = bottomOf(box) + 1;
    const rows = [...box.children];
    let count = rows.filter(row => row.getBoundingClientRect().bottom <= limit).length;
    if (count === rows.length) return;
    if (rows[count - 1]?.querySelector('dd:empty')) count -= 1; // A heading whose rows have no space.
    rows[count - 1]?.append(...box.querySelectorAll('.rule.end'));
    for (const row of rows.slice(count)) {
      for (const value of row.querySelectorAll('dd')) report(value, value.getAttribute('data-fit'), 0, true);
      row.remove();
    }
  }

  /** The first line of a flow that does not fit: its element, and the offset of the line's first character. */
  interface Break {
    leaf: Element;
    offset: number;
  }

  const leavesOf = (box: Element) => [...box.querySelectorAll('p, h3, li')];
  /** null when the box does not overflow. Keeps two lines or items together on each side, and a heading with its text. */
  function breakOf(box: Element): Break | null {
    const limit = bottomOf(box) + 1;
    const leaves = leavesOf(box);
    const at = leaves.findIndex(leaf => leaf.getBoundingClientRect().bottom > limit);
    const leaf = leaves[at];
    if (leaf === undefined) return null;
    const { top, bottom } = leaf.getBoundingClientRect();
    const lineHeight = lineHeightOf(leaf);
    const lines = Math.round((bottom - top) / lineHeight);
    const fitting = Math.min(Math.floor((limit - top) / lineHeight), lines - 2);
    if (leaf.tagName !== 'H3' && fitting >= 2) {
      return { leaf, offset: lengthAbove(leaf.firstChild, top + fitting * lineHeight) };
    }
    const isLastItem =
      leaf.tagName === 'LI' && leaf.previousElementSibling !== null && leaf.nextElementSibling === null;
    const first = isLastItem ? at - 1 : at;
    return { leaf: withHeading(leaves, first) ?? leaves[first] ?? leaf, offset: 0 };
  }

  /** The heading directly before a leaf, or before a list of which only one item would remain. */
  function withHeading(leaves: readonly Element[], at: number): Element | undefined {
    const isSecondItem = leaves[at - 1]?.tagName === 'LI' && leaves[at - 1]?.previousElementSibling === null;
    const heading = leaves[isSecondItem ? at - 2 : at - 1];
    return heading?.tagName === 'H3' ? heading : undefined;
  }

  /** Removes the content after the break and returns it. */
  function extractRest(box: Element, { leaf, offset }: Break): DocumentFragment {
    const range = document.createRange();
    const text = leaf.firstChild;
    if (text !== null && offset > 0) range.setStart(text, offset);
    else range.setStartBefore(leaf);
    range.setEnd(box, box.childNodes.length);
    const rest = range.extractContents();
    if (offset > 0) rest.querySelector('p, li')?.classList.add('continued');
    for (const list of box.querySelectorAll('ul:empty')) list.remove();
    return rest;
  }

  function spread(boxes: readonly Element[], all: DocumentFragment) {
    const [first, ...others] = boxes;
    first?.replaceChildren(all.cloneNode(true));
    for (const box of others) box.replaceChildren();
    for (const [at, next] of others.entries()) {
      const box = boxes[at];
      const full = box === undefined ? null : breakOf(box);
      if (box !== undefined && full !== null) next.append(extractRest(box, full));
    }
  }

  /** Cuts the last box of a flow after a sentence if that keeps a third of the paragraph, else after a word. */
  function cutFlow(box: Element) {
    const full = breakOf(box);
    if (full !== null) extractRest(box, full);
    let last = leavesOf(box).at(-1);
    while (last !== undefined && last.tagName === 'H3') {
      last.remove();
      last = leavesOf(box).at(-1);
    }
    const text = last?.textContent ?? '';
    if (last === undefined || text === '') return;
    const sentence = /^[\s\S]*[.!?؟。](?=\s+[^\p{Ll}\d]|\s*$)/u.exec(text)?.[0] ?? '';
    const leaf = last;
    const fits = () => !runsOver(box);
    if (sentence.length > text.length / 3) {
      leaf.textContent = `${sentence} ${ellipsis}`;
      if (fits()) return;
      leaf.textContent = text;
    }
    endWithEllipsis([{ leaf, length: text.length, fits }]);
  }

  /** Distributes a text that overflows its first box. */
  function flow(boxes: readonly Element[], field: string) {
    const [first] = boxes;
    const last = boxes.at(-1);
    if (first === undefined || last === undefined) return;
    const all = document.createDocumentFragment();
    all.append(...[...first.childNodes].map(node => node.cloneNode(true)));
    // A text 1.5 times too long never fits at level 1, so level 1 is not tried.
    const available = boxes.reduce((total, box) => total + box.clientHeight, 0);
    let level: 0 | 1 | 2 = first.scrollHeight > 1.5 * available ? 2 : 0;
    setLevel(boxes, level);
    spread(boxes, all);
    while (level < 2 && runsOver(last)) {
      level = level === 0 ? 1 : 2;
      setLevel(boxes, level);
      spread(boxes, all);
    }
    const cut = runsOver(last);
    if (cut) cutFlow(last);
    if (level > 0 || cut) report(first, field, level, cut);
  }

  const flows = new Map<string, Element[]>();
  for (const box of document.querySelectorAll('[data-flow]')) {
    const key = `${listingOf(box)} ${box.getAttribute('data-flow')}`;
    flows.set(key, [...(flows.get(key) ?? []), box]);
  }
  // Boxes that stay empty leave their space to the texts that are fitted next.
  for (const [first, ...others] of flows.values())
    if (first !== undefined && !runsOver(first)) for (const box of others) box.toggleAttribute('data-flow-empty', true);
  for (const column of [...document.querySelectorAll('[data-compact]')].filter(overflows))
    column.classList.add('compact');
  fitBoxes([...document.querySelectorAll('[data-fit]')]);
  // Measures all flows before it changes any: a measurement after each change would force a new layout.
  const over = [...flows].filter(([, [first]]) => first !== undefined && runsOver(first));
  for (const [key, boxes] of over) flow(boxes, key.slice(key.indexOf(' ') + 1));
  for (const [, ...others] of flows.values())
    for (const box of others) box.toggleAttribute('data-flow-empty', box.childElementCount === 0);
  const full = [...document.querySelectorAll('[data-items]')].filter(runsOver);
  for (const box of full) dropItems(box);
  for (const box of document.querySelectorAll('[data-rows]')) dropRows(box);
  return fits;
}
