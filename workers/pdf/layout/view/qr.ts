/** QR codes as vectors: one SVG path, drawn by the browser at any size without blur. */
import { LRUCache } from 'lru-cache';
import { create } from 'qrcode';
import type { QrView } from '../listing-view.ts';

/** ISO/IEC 18004 asks for four modules of white around the code. */
const quietZone = 4;

/** A code takes a quarter of the time its whole page takes to be written, and a listing is printed again and again. */
const known = new LRUCache<string, QrView>({ max: 500 });

export function qrOf(text: string): QrView {
  const view = known.get(text) ?? drawn(text);
  known.set(text, view);
  return view;
}

function drawn(text: string): QrView {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const { size } = modules;
  let path = '';
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (!modules.get(row, column)) continue;
      const start = column;
      while (column + 1 < size && modules.get(row, column + 1)) column += 1;
      const run = column + 1 - start;
      path += `M${start} ${row}h${run}v1h-${run}z`;
    }
  }
  const side = size + 2 * quietZone;
  return { viewBox: `${-quietZone} ${-quietZone} ${side} ${side}`, path };
}
