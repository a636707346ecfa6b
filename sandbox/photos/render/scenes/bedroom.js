// Bedrooms: the bed at the panels of the left wall, a window along the back, a chair next to it; and a child's room.
import { fluted, interior } from '../architecture/interior.js';
import { bed, bedBench, bedside } from '../furniture/beds.js';
import { art, books, rug, vase } from '../furniture/decor.js';
import { ledStrip, pendant, tableLamp } from '../furniture/lamps.js';
import { pot, pottedTree, tuft } from '../furniture/plants.js';
import { armchair, diningChair } from '../furniture/seating.js';
import { cabinet, shelving, sideTable } from '../furniture/tables.js';
import { cloth, floorboards, parquet, plain, plaster, timber } from '../materials/library.js';
import { assembly, ball, box, cushion, tilted } from '../shapes.js';

const STYLES = {
  villa: {
    frame: '#b9a88f',
    blanket: '#9a846a',
    accents: ['#c9b394', '#7a6650'],
    floor: () => floorboards('oak'),
    panel: () => timber('oak'),
    drapery: '#ded6c8',
    rug: ['#e6dfd3', '#d3c8b8'],
    art: 'sand',
    lamp: 'globe',
  },
  tower: {
    frame: '#78807f',
    blanket: '#44555c',
    accents: ['#b08d5c', '#56656b'],
    floor: () => parquet('walnut'),
    panel: () => timber('walnut'),
    drapery: '#b9b2a8',
    rug: ['#cfc9c0', '#b5aea4'],
    art: 'ink',
    lamp: 'cone',
  },
};

/** The panelled wall with the bed, its tables and its lamps. */
function bedWall(stage, s, { min, height, room }) {
  const panel = assembly(
    [fluted({ from: -2.6, to: 2.6, z: 0.02, height: 2.72, material: s.panel(), count: 48 })],
    [min[0], 0, 0.1],
    Math.PI / 2,
  );
  stage.add(panel);
  stage.add(
    bed({
      at: [min[0] + 1.3, 0, 0.1],
      turn: Math.PI / 2,
      frame: cloth(s.frame),
      blanket: cloth(s.blanket),
      accents: s.accents.map(c => cloth(c)),
      wide: 3.5,
    }),
  );
  stage.add(rug({ width: 3.1, depth: 3, at: [-0.6, 0, 0.1], light: s.rug[0], dark: s.rug[1] }));
  for (const z of [-1.3, 1.5]) {
    stage.add(bedside({ at: [min[0] + 0.42, 0, z], turn: Math.PI / 2, material: timber('walnut') }));
    stage.add(
      pendant(stage, {
        at: [min[0] + 0.42, 1.25, z],
        ceiling: height,
        kind: s.lamp,
        candela: 2.6 * room.lamps,
        size: 0.1,
      }),
    );
  }
  stage.add(
    ledStrip(stage, {
      from: [min[0] + 0.2, 1.36, -1.6],
      to: [min[0] + 0.2, 1.36, 1.8],
      normal: [0.2, 1, 0],
      radiance: 8 * room.lamps,
      visible: false,
    }),
  );
  stage.add(
    bedBench({ at: [min[0] + 2.75, 0.017, 0.1], turn: Math.PI / 2 }),
    books([min[0] + 0.42, 0.5, 1.5], 0.3),
    vase({ at: [min[0] + 0.36, 0.5, -1.45], height: 0.16, stems: 5 }),
  );
}

export function bedroom(
  stage,
  {
    style = 'villa',
    time = 'morning',
    view = 'garden',
    storey,
    from = [3.1, 1.4, 3.1],
    to = [-1.0, 0.95, -1.1],
    degrees = 70,
    grade,
    ...looks
  },
) {
  const s = STYLES[style];
  const [min, max, height] = [[-3.3, -3], [3.6, 3.4], 2.95];
  const room = interior(stage, {
    min,
    max,
    height,
    time,
    view,
    storey,
    floor: s.floor(),
    drapery: s.drapery,
    sheer: true,
    azimuth: 2.5,
    elevation: 0.5,
    glassMirror: 'back',
    windows: [{ side: 'back', from: -2.7, to: 3.1, head: 2.65, panes: 3 }],
    finishes: { left: plaster('#dcd4c6') },
    spots: [
      [-2.9, -1.9],
      [-2.9, 2.2],
      [2.4, 2.6],
    ],
  });
  bedWall(stage, s, { min, height, room });
  stage.add(
    armchair({ at: [2.4, 0, -1.7], turn: -0.9, fabric: cloth(s.accents[0]) }),
    sideTable({ at: [1.55, 0, -2.1] }),
    vase({ at: [1.55, 0.5, -2.1], height: 0.16, stems: 4, seed: 9 }),
  );
  stage.add(pottedTree({ at: [3.1, 0, -2.5], height: 1.9, count: 80 }));
  return {
    ...stage.look({ from, to, degrees, ...looks }),
    grade: { key: time === 'night' || time === 'dusk' ? 0.24 : 0.5, ...grade },
  };
}

/** A bear, a ball, three blocks. */
function toys(stage) {
  const toy = (color, r, at) => ball(plain(color, { roughness: 0.7 }), r, at, 24);
  const bear = at =>
    assembly(
      [
        toy('#b98f63', 0.15, [0, 0.15, 0]),
        toy('#b98f63', 0.11, [0, 0.37, 0.02]),
        [-1, 1].map(s => [
          toy('#a37a50', 0.045, [s * 0.08, 0.47, 0]),
          toy('#b98f63', 0.06, [s * 0.15, 0.2, 0.06]),
          toy('#b98f63', 0.07, [s * 0.09, 0.06, 0.14]),
        ]),
        toy('#e6cfae', 0.045, [0, 0.35, 0.1]),
      ],
      at,
      0.5,
    );
  stage.add(
    bear([0.45, 0.017, 0.15]),
    toy('#7fa0a8', 0.13, [-0.35, 0.15, 1.25]),
    [
      ['#e0b05c', 0],
      ['#8fa89f', 0.13],
      ['#d98e73', 0.26],
    ].map(([c, y], i) =>
      box(plain(c, { roughness: 0.6 }), [0.12, 0.12, 0.12], [-0.5 + i * 0.01, 0.017 + y, 0.3], 0.012),
    ),
  );
}

/** Shelves and pictures on one wall, a desk under the window. */
function deskAndShelves(stage, wood, room) {
  stage.add(
    shelving({
      width: 1.8,
      height: 1.1,
      rows: 3,
      columns: 3,
      depth: 0.34,
      material: plain('#f2efe9'),
      back: plain('#e6e1d8'),
      lit: false,
      at: [2.7, 0, 0.4],
      turn: -Math.PI / 2,
      seed: 5,
    }),
  );
  stage.add(
    art({
      at: [2.88, 1.5, 0.05],
      turn: -Math.PI / 2,
      width: 0.5,
      height: 0.65,
      palette: 'clay',
      seed: 2,
      frame: wood,
    }),
    art({
      at: [2.88, 1.5, 0.75],
      turn: -Math.PI / 2,
      width: 0.5,
      height: 0.65,
      palette: 'sea',
      seed: 6,
      frame: wood,
    }),
  );
  stage.add(
    box(wood, [1.3, 0.04, 0.55], [1, 0.56, -2.2], 0.01),
    [0.42, 1.58].map(x => box(wood, [0.05, 0.56, 0.5], [x, 0, -2.2])),
    diningChair({ at: [1, 0, -1.55], turn: Math.PI, fabric: cloth('#d9a78e'), foot: wood }),
    tableLamp(stage, { at: [1.45, 0.6, -2.25], height: 0.4, candela: 1.4 * room.lamps }),
    books([0.65, 0.6, -2.2], 0.2),
  );
}

/** A bed in the shape of a house. */
function houseBed(wood) {
  const post = (x, z) => box(wood, [0.06, 1.5, 0.06], [x, 0, z]);
  const rafter = (x, s) => tilted(box(wood, [0.06, 0.8, 0.06], [x, 1.48, s * 0.5]), { x: -s * 0.72 });
  return assembly(
    [
      [-1, 1].flatMap(x => [-0.5, 0.5].map(z => post(x, z))),
      [-1, 1].flatMap(x => [rafter(x, 1), rafter(x, -1)]),
      box(wood, [2.06, 0.06, 0.06], [0, 2.05, 0]),
      [-0.5, 0.5].map(z => box(wood, [2.06, 0.06, 0.06], [0, 1.45, z])),
      box(wood, [2, 0.16, 1], [0, 0.18, 0], 0.01),
      box(cloth('#f4f1ec'), [1.92, 0.2, 0.92], [0, 0.32, 0], 0.07),
      cushion(cloth('#d9a78e'), [1.3, 0.12, 1.02], [0.28, 0.46, 0], 0.2),
      tilted(cushion(cloth('#f7f5f1'), [0.2, 0.4, 0.62], [-0.76, 0.5, 0], 0.4), { z: 0.4 }),
      tilted(cushion(cloth('#8fa89f'), [0.14, 0.34, 0.36], [-0.52, 0.5, 0.1], 0.5), { z: 0.5 }),
    ],
    [-2.35, 0, 0.35],
    Math.PI / 2,
  );
}

/** A child's room: a house-shaped bed, shelves, toys, soft colours. */
export function kidsRoom(stage, { time = 'morning', grade }) {
  const [min, max, height] = [[-2.9, -2.6], [2.9, 3.1], 2.85];
  const room = interior(stage, {
    min,
    max,
    height,
    time,
    view: 'garden',
    floor: floorboards('paleOak'),
    paint: '#f0ebe2',
    ceiling: 'flat',
    drapery: '#e9d8c8',
    sheer: true,
    azimuth: 2.5,
    elevation: 0.5,
    windows: [{ side: 'back', from: -1.3, to: 1.9, sill: 0.75, head: 2.4, panes: 2 }],
    finishes: { left: plaster('#b9c7c0') },
    spots: [
      [-1.5, 0],
      [1.5, 0],
      [0, 2],
    ],
  });
  const wood = timber('paleOak');
  stage.add(houseBed(wood), rug({ width: 2.2, depth: 2, at: [0.1, 0, 0.5], light: '#e8cdbd', dark: '#f1e7dc' }));
  deskAndShelves(stage, wood, room);
  toys(stage);
  stage.add(
    pendant(stage, {
      at: [0, 2.1, 0.4],
      ceiling: height,
      kind: 'globe',
      size: 0.22,
      candela: 5 * room.lamps,
    }),
    tuft({ at: [2.5, 0, -2.2], base: 0.36, pot: pot(), height: 0.8, count: 18, width: 0.1, spread: 0.4 }),
    cabinet({
      width: 1.4,
      height: 0.7,
      at: [-1.9, 0, -2.3],
      lift: 0.06,
      doors: 2,
      material: plain('#efece5'),
    }),
  );
  return {
    ...stage.look({ from: [1.9, 1.35, 2.75], to: [-0.75, 0.95, -1.2], degrees: 74 }),
    grade: { key: 0.54, ...grade },
  };
}
