// A walk-in closet: lit open bays with clothes, shoes and bags, and an island between them.
import { Vector3 } from 'three';
import { interior } from '../architecture/interior.js';
import { rug, tray, vase } from '../furniture/decor.js';
import { ringChandelier } from '../furniture/lamps.js';
import { ottoman } from '../furniture/seating.js';
import { globeSource } from '../light/sources.js';
import { brass, cloth, glowing, leather, parquet, plain, stone, timber } from '../materials/library.js';
import { assembly, box, cushion, tube } from '../shapes.js';

/** A hanging garment: a slightly wavy slab under a hanger. */
function garment(color, length, x, y, seed) {
  const body = cushion(cloth(color, { coarse: 90 }), [0.05, length, 0.44], [x, y - length, 0], 0.3);
  body.rotation.y = Math.sin(seed * 7.3) * 0.16;
  return body;
}

const WARDROBE = [
  '#efe9df',
  '#d9c9b2',
  '#b59b7c',
  '#2b2d33',
  '#6e7a83',
  '#f4f1ec',
  '#8a5a45',
  '#c7bdb0',
  '#3f4a45',
  '#e0d4c3',
];

/** One lamp in front of the bay represents its LED strips. */
function lightBay(stage, { light, at, turn }) {
  const bayFront = new Vector3(0, 1.4, 0.2).applyAxisAngle(new Vector3(0, 1, 0), turn).add(new Vector3(...at));
  stage.light(globeSource({ position: bayFront, color: '#ffe6cb', candela: light / 4 }));
}

/** Objects on shelf `i` of a bay: shoes at the bottom, folded knitwear above, bags on top. */
function shelfThings(i, width) {
  return [0, 1, 2].map(k => {
    const x = -width / 3.2 + (k * width) / 3.2;
    const y = 0.125 + (i - 1) * 0.4;
    if (i < 3) {
      const skin = leather(['#2b2622', '#8a5a3a', '#c9b79a'][(i + k) % 3]);
      return [-0.06, 0.06].map(d => cushion(skin, [0.08, 0.09, 0.25], [x + d, y, 0.04], 0.3));
    }
    if (i < 5) {
      return [0, 1, 2].map(n =>
        box(cloth(WARDROBE[(i + k * 3 + n) % 10]), [0.27, 0.06, 0.3], [x, y + n * 0.063, 0], 0.025),
      );
    }
    const handle = [
      [x - 0.07, y + 0.19, 0],
      [x, y + 0.28, 0],
      [x + 0.07, y + 0.19, 0],
    ];
    return [
      cushion(leather(['#a3683f', '#2b2d33', '#d9c9b2'][(i + k) % 3]), [0.28, 0.2, 0.13], [x, y, 0], 0.25),
      tube(brass(), handle, 0.006),
    ];
  });
}

/** One bay of an open wardrobe: rail, clothes, shelves, lit from its edges. */
function bay(stage, { width, kind, light, at, turn, seed }) {
  const [height, depth] = [2.6, 0.58];
  const wood = timber('oak');
  const inner = timber('paleOak');
  const parts = [
    box(inner, [width, height, 0.02], [0, 0, -depth / 2]),
    [-1, 1].map(s => box(wood, [0.03, height, depth], [(s * width) / 2, 0, 0])),
    box(wood, [width, 0.04, depth], [0, height, 0]),
    box(wood, [width, 0.1, depth], [0, 0, 0]),
  ];
  const rail = y => box(brass(), [width - 0.06, 0.02, 0.03], [0, y, 0]);
  const clothes = (y, length) =>
    Array.from({ length: Math.floor(width / 0.062) - 2 }, (_, i) =>
      garment(
        WARDROBE[(i * 3 + seed * 5 + Math.floor(i / 4)) % 10],
        length * (0.85 + 0.15 * Math.abs(Math.sin(i + seed))),
        -width / 2 + 0.1 + i * 0.062,
        y,
        i + seed,
      ),
    );
  const shelf = y => box(wood, [width - 0.06, 0.025, depth - 0.04], [0, y, 0]);
  const strip = (y, glow) => box(glowing('#ffdcae', glow), [width - 0.1, 0.01, 0.012], [0, y, depth / 2 - 0.06]);
  if (kind === 'double')
    parts.push(rail(2.36), clothes(2.34, 0.95), shelf(1.28), rail(1.18), clothes(1.16, 0.9), strip(1.27, 4));
  if (kind === 'long')
    parts.push(
      shelf(2.1),
      rail(2.02),
      clothes(2.0, 1.4),
      shelf(0.42),
      strip(2.09, 4),
      [-0.25, 0.05, 0.3].map((x, i) =>
        box(plain(['#c9b79a', '#8a5a45', '#2b2d33'][i], { roughness: 0.5 }), [0.26, 0.2, 0.18], [x, 2.13, 0], 0.03),
      ),
    );
  if (kind === 'shelves')
    for (let i = 1; i <= 6; i++) parts.push(shelf(0.1 + i * 0.4), strip(0.09 + i * 0.4, 4), shelfThings(i, width));
  lightBay(stage, { light, at, turn });
  return assembly(parts, at, turn);
}

/** The island with its drawers. */
function island(stage) {
  stage.add(
    box(timber('oak'), [0.8, 0.82, 1.5], [0, 0.017, -0.9], 0.006),
    [0.15, 0.42, 0.68].map(y => box(plain('#4a3a2a'), [0.7, 0.006, 1.502], [0, y, -0.9])),
    box(stone('calacatta', { slabs: 0 }), [0.86, 0.035, 1.56], [0, 0.837, -0.9], 0.006),
    tray({ at: [0.05, 0.872, -0.6] }),
    vase({ at: [-0.1, 0.872, -1.2], height: 0.2, stems: 8 }),
  );
}

export function closet(stage, { grade }) {
  const [min, max, height] = [[-1.95, -3.4], [1.95, 2.6], 2.9];
  const room = interior(stage, {
    min,
    max,
    height,
    time: 'day',
    view: 'garden',
    floor: parquet('paleOak'),
    ceiling: 'cove',
    drapery: '#efe9df',
    sheer: true,
    azimuth: 2.9,
    elevation: 0.5,
    windows: [{ side: 'back', from: -0.8, to: 0.8, sill: 0.4, head: 2.5, panes: 1 }],
    spots: [
      [0, -2],
      [0, 0],
      [0, 1.6],
    ],
  });
  const run = (kinds, x, turn, seed) =>
    kinds.map((kind, i) =>
      bay(stage, { width: 1.4, kind, light: 2.2, at: [x, 0, -2.6 + i * 1.42], turn, seed: seed + i }),
    );
  stage.add(run(['double', 'shelves', 'long', 'double'], min[0] + 0.3, Math.PI / 2, 1));
  stage.add(run(['long', 'double', 'shelves', 'long'], max[0] - 0.3, -Math.PI / 2, 6));
  stage.add(rug({ width: 1.7, depth: 3.6, at: [0, 0, -0.4], light: '#e6ded1', dark: '#d3c8b8' }));
  island(stage);
  stage.add(
    ottoman({ at: [0, 0.017, 0.75], size: [0.75, 0.42, 0.75], fabric: cloth('#c9beac') }),
    ringChandelier(stage, {
      at: [0, 2.1, -0.8],
      ceiling: height,
      radii: [0.34, 0.22],
      candela: 6 * room.lamps,
    }),
  );
  return {
    ...stage.look({ from: [0.35, 1.45, 2.5], to: [-0.05, 1.12, -2.4], degrees: 74 }),
    grade: { key: 0.5, ...grade },
  };
}
