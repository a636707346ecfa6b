// A dining room with a long, set table under a chandelier.
import { fluted, interior } from '../architecture/interior.js';
import { art, rug, vase } from '../furniture/decor.js';
import { clusterChandelier, tableLamp } from '../furniture/lamps.js';
import { pottedTree } from '../furniture/plants.js';
import { diningChair } from '../furniture/seating.js';
import { cabinet, diningTable } from '../furniture/tables.js';
import { brass, cloth, glass, parquet, plain, stone, timber } from '../materials/library.js';
import { assembly, box, cylinder, turned } from '../shapes.js';

function setting(at, turn) {
  const white = plain('#f6f4ef', { roughness: 0.25 });
  const plate = (r, y) =>
    turned(
      white,
      [
        [0, y],
        [r * 0.7, y],
        [r, y + 0.018],
        [r * 0.97, y + 0.02],
        [r * 0.66, y + 0.006],
        [0, y + 0.006],
      ],
      [0, 0, 0],
    );
  const wine = turned(
    glass({ opacity: 0.3 }),
    [
      [0.035, 0],
      [0.006, 0.01],
      [0.006, 0.09],
      [0.04, 0.13],
      [0.042, 0.17],
      [0.034, 0.21],
    ],
    [0.2, 0, -0.14],
  );
  const cutlery = [-0.19, 0.19, 0.22].map(x => box(brass(), [0.014, 0.004, 0.2], [x, 0, 0]));
  return assembly(
    [
      cylinder(plain('#b59d7d', { roughness: 0.9 }), 0.18, 0.004, [0, 0, 0]),
      plate(0.14, 0.004),
      plate(0.1, 0.02),
      wine,
      cutlery,
    ],
    at,
    turn,
  );
}

/** The sideboard along the panelled wall, and a tree by the window. */
function sideboard(stage, { min, lamps }) {
  stage.add(
    assembly(
      [fluted({ from: -1.8, to: 1.8, z: 0.02, height: 2.85, material: timber('oak'), count: 34 })],
      [min[0], 0, 0.3],
      Math.PI / 2,
    ),
  );
  stage.add(
    cabinet({
      at: [min[0] + 0.3, 0, 0.3],
      turn: Math.PI / 2,
      width: 2.6,
      height: 0.55,
      material: timber('walnut'),
      top: stone('calacatta'),
    }),
    art({
      at: [min[0] + 0.06, 1.2, 0.3],
      turn: Math.PI / 2,
      width: 1.5,
      height: 1.15,
      palette: 'olive',
      seed: 5,
    }),
  );
  stage.add(
    tableLamp(stage, { at: [min[0] + 0.3, 0.8, 1.3], candela: 2.4 * lamps }),
    vase({ at: [min[0] + 0.3, 0.8, -0.6], height: 0.28, stems: 8, seed: 7 }),
    pottedTree({ at: [3.3, 0, -2.4], height: 2, count: 90 }),
  );
}

/** The set table, its chairs and the chandelier. */
function laidTable(stage, { height, lamps }) {
  stage.add(
    rug({ width: 4.3, depth: 2.8, at: [0, 0, 0], light: '#d8cfc1', dark: '#bfb39f' }),
    diningTable({ at: [0, 0.017, 0], size: [3, 0.75, 1.1], top: timber('walnut') }),
  );
  const chair = cloth('#c9beac');
  for (const x of [-1.05, -0.35, 0.35, 1.05]) {
    stage.add(
      diningChair({ at: [x, 0.017, 0.82], turn: Math.PI, fabric: chair }),
      diningChair({ at: [x, 0.017, -0.82], turn: 0, fabric: chair }),
    );
    stage.add(setting([x, 0.767, 0.33], 0), setting([x, 0.767, -0.33], Math.PI));
  }
  stage.add(
    diningChair({ at: [-1.85, 0.017, 0], turn: Math.PI / 2, fabric: cloth('#7f8a76') }),
    diningChair({ at: [1.85, 0.017, 0], turn: -Math.PI / 2, fabric: cloth('#7f8a76') }),
  );
  stage.add(
    clusterChandelier(stage, {
      at: [0, 1.75, 0],
      ceiling: height,
      candela: 9 * lamps,
      count: 23,
      spread: 0.7,
    }),
  );
  stage.add(
    vase({ at: [0, 0.767, 0], height: 0.26, stems: 14, seed: 4 }),
    [-0.45, 0.42].map(x =>
      turned(
        brass(),
        [
          [0, 0],
          [0.05, 0],
          [0.01, 0.02],
          [0.01, 0.2],
          [0.025, 0.22],
          [0, 0.22],
        ],
        [x, 0.767, 0.02],
      ),
    ),
  );
}

export function dining(
  stage,
  {
    time = 'day',
    view = 'garden',
    storey,
    from = [3.3, 1.5, 3.4],
    to = [-0.6, 1.0, -0.9],
    degrees = 68,
    grade,
    ...looks
  },
) {
  const [min, max, height] = [[-3.8, -3], [3.9, 3.8], 3.1];
  const room = interior(stage, {
    min,
    max,
    height,
    time,
    view,
    storey,
    floor: parquet('oak'),
    azimuth: 2.5,
    elevation: 0.55,
    drapery: '#d8cfbf',
    sheer: true,
    windows: [{ side: 'back', from: -2.9, to: 3.2, head: 2.75, panes: 3 }],
    spots: [
      [-3.3, -1],
      [-3.3, 1],
      [-3.3, 2.6],
    ],
  });
  laidTable(stage, { height, lamps: room.lamps });
  sideboard(stage, { min, lamps: room.lamps });
  return { ...stage.look({ from, to, degrees, ...looks }), grade: { key: 0.5, ...grade } };
}
