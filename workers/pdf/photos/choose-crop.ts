/**
 * Where a photo is cut when it must lose part of a side: what is kept is the stretch with the most to see. Judged as
 * libvips' attention does (smartcrop.c), by edges, strong colours and skin on a picture of a few cells, but all of the
 * stretch counts rather than its most striking point; libvips takes 6 ms of CPU time for it, whatever the size.
 */

/** Decoded pixels, row by row, three bytes each: red, green, blue. */
export interface Pixels {
  data: Uint8Array;
  widthPx: number;
  heightPx: number;
}

export interface Place {
  left: number;
  top: number;
}

/** Cells along the side that is cut. */
const cellsAlong = 32;
/** Pixels looked at along each side of a cell: enough for its mean colour. */
const samplesPerCell = 3;
/** A stretch must have this much more to see than the middle one to be taken in its stead: less is chance. */
const betterThanMiddle = 1.03;

/** @returns where a part of this size begins; it lies within the picture, which is larger in at most one direction */
export function chooseCrop(pixels: Pixels, widthPx: number, heightPx: number): Place {
  const spareX = pixels.widthPx - widthPx;
  const spareY = pixels.heightPx - heightPx;
  if (spareX <= 0 && spareY <= 0) return { left: 0, top: 0 };
  return spareX >= spareY
    ? { left: Math.round(spareX * bestShare(profile(pixels, 'x'), widthPx / pixels.widthPx)), top: 0 }
    : { left: 0, top: Math.round(spareY * bestShare(profile(pixels, 'y'), heightPx / pixels.heightPx)) };
}

/** Of all stretches of this share of the whole, the one with most in it: 0 the first, 1 the last. */
function bestShare(profile: readonly number[], share: number): number {
  const window = Math.max(1, Math.round(profile.length * share));
  const starts = profile.length - window;
  if (starts <= 0) return 0.5;
  const sumFrom = (start: number) =>
    profile.slice(start, start + window).reduce((sum, cell) => sum + cell, 0);
  const middle = starts / 2;
  let best = { start: middle, sum: sumFrom(Math.round(middle)) * betterThanMiddle };
  for (let start = 0; start <= starts; start++) {
    const sum = sumFrom(start);
    if (sum > best.sum) best = { start, sum };
  }
  return best.start / starts;
}

/** How much there is to see in each slice across the side that is cut. */
function profile(pixels: Pixels, side: 'x' | 'y'): number[] {
  const cells = cellsOf(pixels);
  const slices = side === 'x' ? cells.across : cells.down;
  return Array.from({ length: slices }, (_, slice) => {
    let sum = 0;
    const others = side === 'x' ? cells.down : cells.across;
    for (let other = 0; other < others; other++) {
      sum += side === 'x' ? interest(cells, slice, other) : interest(cells, other, slice);
    }
    return sum;
  });
}

interface Cells {
  across: number;
  down: number;
  /** Mean red, green and blue of each cell, row by row, 0 to 255. */
  colours: Float64Array;
}

function cellsOf({ data, widthPx, heightPx }: Pixels): Cells {
  const longer = Math.max(widthPx, heightPx);
  const across = Math.max(1, Math.round((cellsAlong * widthPx) / longer));
  const down = Math.max(1, Math.round((cellsAlong * heightPx) / longer));
  const colours = new Float64Array(across * down * 3);
  const columns = samplesAlong(across, widthPx);
  samplesAlong(down, heightPx).forEach((y, row) => {
    const cellsBefore = Math.floor(row / samplesPerCell) * across;
    columns.forEach((x, column) => {
      const from = (y * widthPx + x) * 3;
      const to = (cellsBefore + Math.floor(column / samplesPerCell)) * 3;
      colours[to] = (colours[to] ?? 0) + (data[from] ?? 0);
      colours[to + 1] = (colours[to + 1] ?? 0) + (data[from + 1] ?? 0);
      colours[to + 2] = (colours[to + 2] ?? 0) + (data[from + 2] ?? 0);
    });
  });
  return { across, down, colours: colours.map(sum => sum / samplesPerCell ** 2) };
}

/** The pixels looked at along a side, evenly spread. */
const samplesAlong = (cells: number, sidePx: number): number[] =>
  Array.from({ length: cells * samplesPerCell }, (_, at) =>
    Math.floor(((at + 0.5) * sidePx) / (cells * samplesPerCell)),
  );

/** Darker than this, a cell's colour says nothing. */
const darkest = 13;
const skin = { red: 0.78, green: 0.57, blue: 0.44 };

function interest(cells: Cells, x: number, y: number): number {
  const { red, green, blue } = colourAt(cells, x, y);
  const edge = edgeAt(cells, x, y);
  const brightness = Math.hypot(red, green, blue);
  if (brightness < darkest) return edge;
  const saturation = Math.max(red, green, blue) - Math.min(red, green, blue);
  const fromSkin = Math.hypot(
    red / brightness - skin.red,
    green / brightness - skin.green,
    blue / brightness - skin.blue,
  );
  return edge + saturation / 2 + Math.max(0, 1 - fromSkin * 8) * 60;
}

/** How much lighter or darker than its neighbours: the Laplacian, of those that there are. */
function edgeAt(cells: Cells, x: number, y: number): number {
  const here = lightnessAt(cells, x, y);
  let sum = 0;
  if (x > 0) sum += here - lightnessAt(cells, x - 1, y);
  if (x < cells.across - 1) sum += here - lightnessAt(cells, x + 1, y);
  if (y > 0) sum += here - lightnessAt(cells, x, y - 1);
  if (y < cells.down - 1) sum += here - lightnessAt(cells, x, y + 1);
  return Math.abs(sum);
}

function lightnessAt(cells: Cells, x: number, y: number): number {
  const { red, green, blue } = colourAt(cells, x, y);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function colourAt({ across, colours }: Cells, x: number, y: number) {
  const at = (y * across + x) * 3;
  return { red: colours[at] ?? 0, green: colours[at + 1] ?? 0, blue: colours[at + 2] ?? 0 };
}
