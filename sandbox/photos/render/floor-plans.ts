// Draws the floor plans of the sandbox's villa: two storeys as line drawings with room names and sizes.
import sharp from 'sharp';

/** Name, then left, top, width and height in metres. */
type Room = readonly [name: string, x: number, y: number, width: number, height: number];

interface Storey {
  file: string;
  title: string;
  widthM: number;
  heightM: number;
  rooms: readonly Room[];
  /** Left, top, width and height of openings in walls. */
  doors: readonly (readonly [x: number, y: number, width: number, height: number])[];
}

const storeys: readonly Storey[] = [
  {
    file: 'plan01.jpg',
    title: 'GROUND FLOOR',
    widthM: 22,
    heightM: 14,
    rooms: [
      ['LIVING', 0, 0, 9, 7],
      ['DINING', 9, 0, 6, 5],
      ['KITCHEN', 15, 0, 7, 5],
      ['MAJLIS', 0, 7, 6, 7],
      ['ENTRANCE', 6, 7, 4, 7],
      ['STAIRS', 10, 5, 5, 4],
      ['GUEST SUITE', 15, 5, 7, 5],
      ['OFFICE', 10, 9, 5, 5],
      ['MAID', 15, 10, 4, 4],
      ['LAUNDRY', 19, 10, 3, 4],
    ],
    doors: [
      [9, 2, 0.3, 1.6],
      [15, 1.5, 0.3, 1.4],
      [6, 9, 0.3, 1.8],
      [7, 7, 1.8, 0.3],
      [10, 6, 0.3, 1.6],
      [15, 6.5, 0.3, 1.2],
      [11.5, 9, 1.3, 0.3],
      [16, 10, 1, 0.3],
      [19, 11, 0.3, 1],
      [7.2, 13.85, 1.6, 0.3],
    ],
  },
  {
    file: 'plan02.jpg',
    title: 'FIRST FLOOR',
    widthM: 12,
    heightM: 16,
    rooms: [
      ['MASTER BEDROOM', 0, 0, 7, 6],
      ['DRESSING', 7, 0, 5, 3],
      ['BATH', 7, 3, 5, 3],
      ['FAMILY ROOM', 0, 6, 6, 5],
      ['STAIRS', 6, 6, 6, 4],
      ['BEDROOM 2', 0, 11, 6, 5],
      ['BEDROOM 3', 6, 10, 6, 6],
    ],
    doors: [
      [7, 1, 0.3, 1],
      [7, 4, 0.3, 1],
      [2.5, 6, 1.4, 0.3],
      [6, 7.5, 0.3, 1.6],
      [2.5, 11, 1.1, 0.3],
      [8, 10, 1.1, 0.3],
    ],
  },
];

const scale = 84;
const margin = 90;

function drawingOf({ title, widthM, heightM, rooms, doors }: Storey): string {
  const [width, height] = [widthM * scale + 2 * margin, heightM * scale + 2 * margin + 60];
  const px = (metres: number, offset = margin) => Math.round(metres * scale + offset);
  const walls = rooms.map(
    ([name, x, y, w, h]) =>
      `<rect x="${px(x)}" y="${px(y)}" width="${px(w, 0)}" height="${px(h, 0)}" fill="#fdfcfa" stroke="#222" stroke-width="9"/>
      <text x="${px(x + w / 2)}" y="${px(y + h / 2)}" class="name">${name}</text>
      <text x="${px(x + w / 2)}" y="${px(y + h / 2) + 34}" class="size">${w.toFixed(1)} × ${h.toFixed(1)} m</text>`,
  );
  const openings = doors.map(
    ([x, y, w, h]) =>
      `<rect x="${px(x - (w < h ? w / 2 : 0))}" y="${px(y - (h < w ? h / 2 : 0))}" width="${px(w, 0)}" height="${px(h, 0)}" fill="#fdfcfa"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <style>text { font-family: sans-serif; text-anchor: middle; fill: #222 } .name { font-size: 30px; font-weight: bold } .size { font-size: 24px; fill: #666 }</style>
    <rect width="100%" height="100%" fill="#fff"/>${walls.join('')}${openings.join('')}
    <rect x="${margin}" y="${margin}" width="${px(widthM, 0)}" height="${px(heightM, 0)}" fill="none" stroke="#222" stroke-width="16"/>
    <text x="${width / 2}" y="${height - 50}" style="font-size: 34px; letter-spacing: 6px">${title}</text></svg>`;
}

export async function drawFloorPlans(folder: string): Promise<void> {
  for (const storey of storeys)
    await sharp(Buffer.from(drawingOf(storey)))
      .jpeg({ quality: 85 })
      .toFile(`${folder}/${storey.file}`);
}
