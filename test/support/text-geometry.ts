/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Finds text on the pages of a document that is clipped, overlaps other text or a QR code, or leaves the page's margins. */
import { fitText } from '../../workers/pdf/layout/fit-text.ts';
import type { FitText } from '../../workers/pdf/print/print-page.ts';

/** Reported as the field of a fit: `clipped: "…" by .title`. */
export type Fault = string;

/** Runs in the page after `fitText`. Measures the ink of each line, not its line box: tight lines overlap without harm. */
function findFaults(): Fault[] {
  const tolerance = 1;
  const marginOf = (page: Element) => (page.matches('.share') ? 24 : (12 / 25.4) * 96);
  const pen = document.createElement('canvas').getContext('2d');
  if (pen === null) throw new Error('The browser has no canvas.');
  const faults: Fault[] = [];

  interface Line {
    text: string;
    block: Element;
    left: number;
    right: number;
    top: number;
    bottom: number;
  }

  const nameOf = (element: Element) =>
    element.getAttribute('data-fit') ??
    element.getAttribute('data-flow') ??
    `${element.tagName.toLowerCase()}.${element.className}`;
  const isInline = (element: Element) => getComputedStyle(element).display === 'inline';

  function blockOf(element: Element): Element {
    let block = element;
    while (isInline(block) && block.parentElement) block = block.parentElement;
    return block;
  }

  /** The lines of a text node, with the rectangle around their glyphs. */
  function linesOf(node: Text, parent: Element): Line[] {
    const style = getComputedStyle(parent);
    const range = document.createRange();
    const rows: { text: string; left: number; right: number; top: number }[] = [];
    const content = node.data;
    const words = content.match(/\s+|[^\s]{1,12}/gu) ?? [];
    let at = 0;
    const add = (text: string, from: number) => {
      range.setStart(node, from);
      range.setEnd(node, from + text.length);
      const rects = [...range.getClientRects()].filter(rect => rect.width > 0);
      if (rects.length > 1 && text.length > 1) {
        const half = text.length >> 1;
        add(text.slice(0, half), from);
        add(text.slice(half), from + half);
        return;
      }
      const [rect] = rects;
      if (!rect) return;
      const last = rows.at(-1);
      if (last && Math.abs(last.top - rect.top) < 2) {
        last.text += text;
        last.left = Math.min(last.left, rect.left);
        last.right = Math.max(last.right, rect.right);
      } else rows.push({ text, left: rect.left, right: rect.right, top: rect.top });
    };
    for (const word of words) {
      if (word.trim() !== '') add(word, at);
      at += word.length;
    }
    if (pen === null) return [];
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    return rows.map(({ text, left, right, top }) => {
      const shown = style.textTransform === 'uppercase' ? text.toUpperCase() : text;
      const { fontBoundingBoxAscent, actualBoundingBoxAscent, actualBoundingBoxDescent } = pen.measureText(shown);
      const baseline = top + fontBoundingBoxAscent;
      return {
        text,
        block: blockOf(parent),
        left,
        right,
        top: baseline - actualBoundingBoxAscent,
        bottom: baseline + actualBoundingBoxDescent,
      };
    });
  }

  interface Clip {
    /** Null for an element that clips nothing. */
    box: { left: number; top: number; width: number; height: number } | null;
  }
  const clips = new Map<Element, Clip>();

  /** Looked up once for all lines in an element, because computed styles take most of the time. */
  function clipOf(element: Element): Clip {
    const known = clips.get(element);
    if (known) return known;
    const { overflowX, contain } = getComputedStyle(element);
    const isClipping = overflowX !== 'visible' || /strict|content|paint/.test(contain);
    const { left, top } = element.getBoundingClientRect();
    const { clientLeft, clientTop, clientWidth: width, clientHeight: height } = element;
    const clip = { box: isClipping ? { left: left + clientLeft, top: top + clientTop, width, height } : null };
    clips.set(element, clip);
    return clip;
  }

  function checkClipping(line: Line, page: Element): void {
    for (let element: Element | null = line.block; element !== null; element = element.parentElement) {
      const { box } = clipOf(element);
      if (box) {
        const { left, top, width, height } = box;
        const excess = Math.max(
          top - line.top,
          line.bottom - top - height,
          left - line.left,
          line.right - left - width,
        );
        if (excess > tolerance) {
          faults.push(
            `clipped by ${excess.toFixed(1)} px: ${nameOf(line.block)} "${line.text.slice(0, 40)}" in ${nameOf(element)}`,
          );
          return;
        }
      }
      if (element === page) return;
    }
  }

  for (const page of document.querySelectorAll('.page, .cover, .plans, .share')) {
    const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
    const lines: Line[] = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (parent && node instanceof Text && node.data.trim() !== '' && parent.checkVisibility())
        lines.push(...linesOf(node, parent));
    }
    const { left, right } = page.getBoundingClientRect();
    const marginPx = marginOf(page);
    const codes = [...page.querySelectorAll('.qr-code, .portrait, .face > div')].map(code => ({
      code,
      rect: code.getBoundingClientRect(),
    }));
    const listing = page.getAttribute('data-listing') ?? 'cover';
    const before = faults.length;
    for (const line of lines) {
      checkClipping(line, page);
      if (line.left < left + marginPx || line.right > right - marginPx)
        faults.push(`outside the margins: ${nameOf(line.block)} "${line.text.slice(0, 40)}"`);
      for (const { code, rect } of codes) {
        const across = Math.min(line.right, rect.right) - Math.max(line.left, rect.left);
        const down = Math.min(line.bottom, rect.bottom) - Math.max(line.top, rect.top);
        if (across > tolerance && down > tolerance && !code.contains(line.block))
          faults.push(`covers ${nameOf(code)}: ${nameOf(line.block)} "${line.text.slice(0, 40)}"`);
      }
    }
    for (const [at, one] of lines.entries())
      for (const other of lines.slice(at + 1)) {
        const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        if (across > tolerance && down > tolerance && one.block !== other.block)
          faults.push(
            `overlap: ${nameOf(one.block)} "${one.text.slice(0, 40)}" and ${nameOf(other.block)} "${other.text.slice(0, 40)}"`,
          );
      }
    for (let at = before; at < faults.length; at++) faults[at] = `listing ${listing}: ${faults[at]}`;
  }
  return faults;
}

/**
 * For `openPrinter`: fits the text as in production, and returns the faults as fields.
 * @param findOthers runs in the page, too; returns further faults
 */
export function fitAndFindFaults(findOthers: () => Fault[] = () => []): FitText {
  const fit: FitText = () => [];
  const source = `() => {
    (${fitText.toString()})();
    return [...(${findFaults.toString()})(), ...(${findOthers.toString()})()].map(field => ({ listing: 0, field, level: 0, cut: false }));
  }`;
  return Object.assign(fit, { toString: () => source });
}
