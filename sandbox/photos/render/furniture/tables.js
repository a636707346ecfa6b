// Tables, consoles, shelves and low cabinets.
import { blackMetal, brass, glowing, metal, plain, stone, timber } from '../materials/library.js';
import { assembly, box, cylinder, turned } from '../shapes.js';
import { books, vase } from './decor.js';

/** Two round coffee tables of different heights, with some objects on them. */
export function nestedTables({ top = stone('calacatta'), second = timber('walnut'), foot = blackMetal(), at, turn }) {
  const one = (material, r, h, x, z) => [
    cylinder(material, r, 0.035, [x, h - 0.035, z], { sides: 64 }),
    cylinder(foot, 0.05, h - 0.04, [x, 0, z]),
    cylinder(foot, r * 0.55, 0.018, [x, 0, z], { sides: 48 }),
  ];
  return assembly(
    [
      one(top, 0.5, 0.38, 0, 0),
      one(second, 0.36, 0.3, 0.66, 0.32),
      books([-0.12, 0.38, 0.05], 0.3),
      vase({ at: [0.16, 0.38, -0.12], height: 0.22, stems: 7 }),
      turned(
        brass(),
        [
          [0, 0],
          [0.09, 0],
          [0.13, 0.045],
          [0.12, 0.05],
          [0.08, 0.012],
          [0, 0.012],
        ],
        [0.68, 0.3, 0.3],
      ),
    ],
    at,
    turn,
  );
}

/** A low rectangular table on a plinth. */
export const slabTable = ({ size = [1.4, 0.34, 0.8], top = stone('crema'), foot = timber('walnut'), at, turn }) =>
  assembly(
    [
      box(top, [size[0], 0.06, size[2]], [0, size[1] - 0.06, 0], 0.012),
      box(foot, [size[0] * 0.72, size[1] - 0.06, size[2] * 0.6], [0, 0, 0], 0.01),
      books([-0.35, size[1], 0.1], -0.2),
      vase({ at: [0.3, size[1], -0.05], height: 0.2, stems: 6, seed: 8 }),
      cylinder(brass(), 0.11, 0.03, [0.05, size[1], 0.15]),
    ],
    at,
    turn,
  );

export const sideTable = ({ radius = 0.24, height = 0.5, top = stone('nero'), foot = brass(), at }) =>
  assembly(
    [
      cylinder(top, radius, 0.025, [0, height - 0.025, 0], { sides: 48 }),
      cylinder(foot, 0.02, height - 0.03, [0, 0, 0]),
      cylinder(foot, radius * 0.7, 0.014, [0, 0, 0]),
    ],
    at,
  );

/** A dining table on two drums. */
export function diningTable({ size = [2.6, 0.75, 1.05], top = timber('walnut'), foot = blackMetal(), at, turn }) {
  const [w, h, d] = size;
  return assembly(
    [
      box(top, [w, 0.05, d], [0, h - 0.05, 0], 0.02),
      [-1, 1].map(s =>
        turned(
          foot,
          [
            [0.3, 0],
            [0.3, 0.02],
            [0.17, 0.3],
            [0.15, 0.5],
            [0.24, h - 0.05],
          ],
          [s * w * 0.27, 0, 0],
        ),
      ),
    ],
    at,
    turn,
  );
}

/** A wall-hung cabinet with flush fronts. */
export function cabinet({
  width = 2.4,
  height = 0.4,
  depth = 0.42,
  doors = 4,
  material = timber('walnut'),
  lift = 0.22,
  top,
  at,
  turn,
}) {
  const front = width / doors;
  const fronts = Array.from({ length: doors }, (_, i) =>
    box(
      material,
      [front - 0.008, height - 0.03, 0.02],
      [-width / 2 + front * (i + 0.5), lift + 0.015, depth / 2],
      0.004,
    ),
  );
  return assembly(
    [
      box(material, [width, height, depth], [0, lift, 0], 0.006),
      fronts,
      top && box(top, [width + 0.02, 0.03, depth + 0.03], [0, lift + height, 0.01]),
    ],
    at,
    turn,
  );
}

/** Open shelves with books and objects; `lit` adds glowing strips under the boards. */
export function shelving({
  width = 2,
  height = 2.4,
  depth = 0.34,
  rows = 6,
  columns = 3,
  material = timber('walnut'),
  back = timber('walnut'),
  lit = true,
  seed = 2,
  at,
  turn,
}) {
  const parts = [box(back, [width, height, 0.02], [0, 0, -depth / 2])];
  for (let i = 0; i <= rows; i++) parts.push(box(material, [width, 0.03, depth], [0, (height - 0.03) * (i / rows), 0]));
  for (let i = 0; i <= columns; i++)
    parts.push(box(material, [0.03, height, depth], [-width / 2 + (width * i) / columns, 0, 0]));
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const x = -width / 2 + (width * (c + 0.5)) / columns;
      const y = (height - 0.03) * (r / rows) + 0.03;
      const pick = (r * 7 + c * 5 + seed * 3) % 5;
      const room = width / columns - 0.1;
      if (pick < 2)
        parts.push(bookRow(x - room / 2, y, room * (pick ? 0.95 : 0.6), height / rows - 0.1, r * 10 + c + seed));
      if (pick === 2) parts.push(vase({ at: [x, y, 0], height: (height / rows) * 0.5, stems: 0, seed: r + c }));
      if (pick === 3) parts.push(books([x, y, 0], 0.1), cylinder(brass(), 0.05, 0.1, [x, y + 0.11, 0]));
      if (pick === 4)
        parts.push(
          box(plain('#d9d4ca'), [0.18, 0.2, 0.03], [x, y, -0.05]),
          cylinder(metal('#8d857a', 0.4), 0.06, 0.13, [x + 0.16, y, 0.03]),
        );
      if (lit)
        parts.push(box(glowing('#ffd9a8', 3), [room, 0.006, 0.015], [x, y + height / rows - 0.045, -depth / 2 + 0.05]));
    }
  }
  return assembly(parts, at, turn);
}

const SPINES = ['#e8e2d6', '#c9b79a', '#7b6a58', '#3d4248', '#a3583f', '#dcd7cf', '#5d6f72', '#b9a382'];

function bookRow(x, y, length, height, seed) {
  const parts = [];
  let at = x;
  for (let i = 0; at < x + length; i++) {
    const dice = Math.abs(Math.sin(seed * 12.9 + i * 78.2));
    const thick = 0.018 + dice * 0.025;
    parts.push(
      box(
        plain(SPINES[Math.floor(dice * 97) % SPINES.length], { roughness: 0.8 }),
        [thick, height * (0.65 + 0.3 * Math.abs(Math.sin(i * 3.7 + seed))), 0.18],
        [at + thick / 2, y, 0.02],
        0.003,
      ),
    );
    at += thick + 0.002;
  }
  return parts;
}
