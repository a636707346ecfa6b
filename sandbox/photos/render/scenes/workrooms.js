// Smaller rooms by purpose: a home office, a walk-in closet, a gym, a lobby.
import { MeshStandardMaterial, PlaneGeometry, Vector3 } from 'three';
import { fluted, interior } from '../architecture/interior.js';
import { art, books, rug, tray, vase } from '../furniture/decor.js';
import {
  clusterChandelier,
  floorLamp,
  ledStrip,
  pendant,
  ringChandelier,
  tableLamp,
} from '../furniture/lamps.js';
import { pot, pottedPalm, pottedTree, tuft } from '../furniture/plants.js';
import { armchair, ottoman, sofa, stool } from '../furniture/seating.js';
import { nestedTables, shelving, slabTable } from '../furniture/tables.js';
import { Mirror, reflectIn } from '../light/mirror.js';
import {
  blackMetal,
  brass,
  carpet,
  cloth,
  floorboards,
  glowing,
  leather,
  metal,
  parquet,
  plain,
  plaster,
  stone,
  timber,
} from '../materials/library.js';
import { assembly, ball, box, cushion, cylinder, ring, solid, tilted, tube, turned } from '../shapes.js';

/** A swivel chair on five castors. */
function deskChair({ fabric = leather('#7a5236'), at, turn }) {
  const feet = [0, 1, 2, 3, 4].map(i =>
    tilted(
      box(
        metal('#8d8b87', 0.3),
        [0.03, 0.03, 0.3],
        [Math.sin(i * 1.257) * 0.15, 0.05, Math.cos(i * 1.257) * 0.15],
      ),
      { y: i * 1.257 },
    ),
  );
  const back = [0, 1, 2, 3, 4].map(i =>
    tilted(
      box(fabric, [0.12, 0.6, 0.07], [(i - 2) * 0.105, 0.56, -0.23 + Math.abs(i - 2) ** 2 * 0.012], 0.03),
      { x: -0.16, y: -(i - 2) * 0.12 },
    ),
  );
  const arms = [-1, 1].map(s => [
    tube(
      metal('#8d8b87', 0.3),
      [
        [s * 0.27, 0.46, -0.1],
        [s * 0.3, 0.6, -0.08],
        [s * 0.29, 0.68, 0.02],
      ],
      0.012,
    ),
    box(fabric, [0.05, 0.03, 0.26], [s * 0.29, 0.68, 0.04], 0.014),
  ]);
  return assembly(
    [
      feet,
      cylinder(metal('#8d8b87', 0.3), 0.03, 0.38, [0, 0.06, 0]),
      cushion(fabric, [0.52, 0.1, 0.5], [0, 0.44, 0], 0.2),
      back,
      arms,
    ],
    at,
    turn,
  );
}

export function office(stage, { time = 'day', view = 'marina', storey = 26, grade }) {
  const [min, max, height] = [[-3, -2.6], [3, 3.1], 2.95];
  const room = interior(stage, {
    min,
    max,
    height,
    time,
    view,
    storey,
    floor: parquet('oak'),
    paint: '#dfd9cf',
    drapery: '#b7ada0',
    azimuth: 2.3,
    elevation: 0.55,
    windows: [{ side: 'back', from: -2.4, to: 2.4, head: 2.65, panes: 3 }],
    finishes: { left: plaster('#4b5350') },
    spots: [
      [-2.4, -0.6],
      [-2.4, 1.2],
      [0, 2.6],
    ],
  });
  stage.add(
    shelving({
      width: 3.6,
      height: 2.6,
      rows: 6,
      columns: 4,
      at: [min[0] + 0.2, 0, 0.3],
      turn: Math.PI / 2,
      seed: 4,
    }),
  );
  stage.add(rug({ width: 2.9, depth: 2.3, at: [0.35, 0, 0.2], light: '#cfc7ba', dark: '#b5aa99' }));
  const top = timber('walnut');
  stage.add(
    box(top, [2.1, 0.05, 0.9], [0.5, 0.72, 0.1], 0.012),
    box(stone('nero', { slabs: 0 }), [0.06, 0.72, 0.8], [-0.4, 0.017, 0.1]),
    box(top, [0.5, 0.56, 0.76], [1.2, 0.16, 0.1], 0.006),
  );
  stage.add(
    deskChair({ at: [0.45, 0.017, -0.75], turn: 0.25 }),
    armchair({ at: [-0.45, 0.017, 1.55], turn: Math.PI - 0.5, fabric: cloth('#a39a8c') }),
    armchair({ at: [1.15, 0.017, 1.6], turn: Math.PI + 0.4, fabric: cloth('#a39a8c') }),
  );
  const laptop = assembly(
    [
      box(metal('#b9babb', 0.35), [0.34, 0.014, 0.23], [0, 0, 0], 0.006),
      tilted(box(plain('#15171a', { roughness: 0.15 }), [0.34, 0.22, 0.008], [0, 0.012, 0.12]), { x: 0.3 }),
    ],
    [0.45, 0.77, -0.02],
    0.1,
  );
  stage.add(
    laptop,
    tableLamp(stage, { at: [1.3, 0.77, 0.1], candela: 2.4 * room.lamps, height: 0.5 }),
    books([-0.2, 0.77, 0.2], 0.3),
    vase({ at: [1, 0.77, 0.36], height: 0.16, stems: 5 }),
    cylinder(brass(), 0.035, 0.1, [0.05, 0.77, -0.15]),
  );
  stage.add(
    pottedTree({ at: [2.5, 0, -2.05], height: 2.1, count: 100, pot: pot(plain('#3d3a37')) }),
    art({ at: [2.98, 1.2, 0.6], turn: -Math.PI / 2, width: 1.2, height: 1.5, palette: 'ink', seed: 4 }),
  );
  return {
    ...stage.look({ from: [2.35, 1.45, 2.8], to: [-0.85, 1.02, -1], degrees: 74 }),
    grade: { key: 0.48, ...grade },
  };
}

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

/** One bay of open wardrobe: rail, clothes, shelves, lit from its edges. */
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
  const strip = (y, glow) =>
    box(glowing('#ffdcae', glow), [width - 0.1, 0.01, 0.012], [0, y, depth / 2 - 0.06]);
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
        box(
          plain(['#c9b79a', '#8a5a45', '#2b2d33'][i], { roughness: 0.5 }),
          [0.26, 0.2, 0.18],
          [x, 2.13, 0],
          0.03,
        ),
      ),
    );
  if (kind === 'shelves') {
    for (let i = 1; i <= 6; i++) {
      parts.push(shelf(0.1 + i * 0.4), strip(0.09 + i * 0.4, 4));
      for (let k = 0; k < 3; k++) {
        const x = -width / 3.2 + (k * width) / 3.2;
        const y = 0.125 + (i - 1) * 0.4;
        if (i < 3)
          parts.push(
            [-0.06, 0.06].map(d =>
              cushion(
                leather(['#2b2622', '#8a5a3a', '#c9b79a'][(i + k) % 3]),
                [0.08, 0.09, 0.25],
                [x + d, y, 0.04],
                0.3,
              ),
            ),
          );
        else if (i < 5)
          parts.push(
            [0, 1, 2].map(n =>
              box(cloth(WARDROBE[(i + k * 3 + n) % 10]), [0.27, 0.06, 0.3], [x, y + n * 0.063, 0], 0.025),
            ),
          );
        else
          parts.push(
            cushion(
              leather(['#a3683f', '#2b2d33', '#d9c9b2'][(i + k) % 3]),
              [0.28, 0.2, 0.13],
              [x, y, 0],
              0.25,
            ),
            tube(
              brass(),
              [
                [x - 0.07, y + 0.19, 0],
                [x, y + 0.28, 0],
                [x + 0.07, y + 0.19, 0],
              ],
              0.006,
            ),
          );
      }
    }
  }
  const bayFront = new Vector3(0, 1.4, 0.2)
    .applyAxisAngle(new Vector3(0, 1, 0), turn)
    .add(new Vector3(...at));
  stage.light({ kind: 'globe', position: bayFront, intensity: bayColor(light), flux: Math.PI });
  return assembly(parts, at, turn);
}

const bayColor = light => plain('#ffd9ac').color.clone().multiplyScalar(light);

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
  const kinds = ['double', 'shelves', 'long', 'double'];
  kinds.forEach((kind, i) =>
    stage.add(
      bay(stage, {
        width: 1.4,
        kind,
        light: 2.2,
        at: [min[0] + 0.3, 0, -2.6 + i * 1.42],
        turn: Math.PI / 2,
        seed: i + 1,
      }),
    ),
  );
  ['long', 'double', 'shelves', 'long'].forEach((kind, i) =>
    stage.add(
      bay(stage, {
        width: 1.4,
        kind,
        light: 2.2,
        at: [max[0] - 0.3, 0, -2.6 + i * 1.42],
        turn: -Math.PI / 2,
        seed: i + 6,
      }),
    ),
  );
  stage.add(rug({ width: 1.7, depth: 3.6, at: [0, 0, -0.4], light: '#e6ded1', dark: '#d3c8b8' }));
  stage.add(
    box(timber('oak'), [0.8, 0.82, 1.5], [0, 0.017, -0.9], 0.006),
    [0.15, 0.42, 0.68].map(y => box(plain('#4a3a2a'), [0.7, 0.006, 1.502], [0, y, -0.9])),
    box(stone('calacatta', { slabs: 0 }), [0.86, 0.035, 1.56], [0, 0.837, -0.9], 0.006),
    tray({ at: [0.05, 0.872, -0.6] }),
    vase({ at: [-0.1, 0.872, -1.2], height: 0.2, stems: 8 }),
  );
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

/** A treadmill facing -z. */
const treadmill = (at, turn) =>
  assembly(
    [
      box(plain('#1d1e20', { roughness: 0.5 }), [0.8, 0.18, 1.9], [0, 0.03, 0], 0.05),
      box(plain('#0e0f10', { roughness: 0.8 }), [0.52, 0.02, 1.7], [0, 0.205, 0.05]),
      [-0.36, 0.36].map(x =>
        tilted(box(metal('#9a9a98', 0.35), [0.07, 1.2, 0.09], [x, 0.15, -0.75], 0.02), { x: -0.12 }),
      ),
      [-0.36, 0.36].map(x => box(plain('#1d1e20'), [0.05, 0.05, 0.7], [x, 0.95, -0.5], 0.02)),
      tilted(box(plain('#101214', { roughness: 0.15 }), [0.7, 0.42, 0.06], [0, 1.22, -0.88], 0.03), {
        x: -0.3,
      }),
    ],
    at,
    turn,
  );
const dumbbell = (x, y, z, r) => [
  box(metal('#b5b3ae', 0.3), [0.03, 0.03, 0.16], [x, y, z]),
  [-1, 1].map(s => {
    const head = cylinder(
      plain('#17181a', { roughness: 0.5 }),
      r,
      0.08,
      [x, y + 0.015, z + s * 0.08 - 0.04],
      { sides: 6 },
    );
    head.rotation.x = Math.PI / 2;
    return head;
  }),
];

export function gym(stage, { time = 'morning', grade }) {
  const [min, max, height] = [[-4.4, -3], [4.2, 3.7], 3.1];
  interior(stage, {
    min,
    max,
    height,
    time,
    view: 'garden',
    floor: floorboards('ash'),
    gloss: 0.02,
    paint: '#d9d6d0',
    ceiling: 'flat',
    drapery: null,
    azimuth: 2.3,
    elevation: 0.5,
    windows: [{ side: 'back', from: -4, to: 3.8, head: 2.8, panes: 5, bare: true }],
    finishes: { right: timber('oak') },
    spots: [
      [-2, 0],
      [0, 0],
      [2, 0],
      [-2, 2.4],
      [2, 2.4],
    ],
  });
  const mirror = new Mirror({
    point: new Vector3(min[0] + 0.03, 1.4, 0),
    normal: new Vector3(1, 0, 0),
    scale: 0.6,
  });
  const silver = solid(
    new PlaneGeometry(5.6, 2.5).rotateY(Math.PI / 2),
    reflectIn(new MeshStandardMaterial({ color: '#eef1f0', metalness: 1, roughness: 0.03 }), mirror),
    [min[0] + 0.03, 1.4, 0.3],
  );
  mirror.hides.push(silver);
  stage.mirrors.push(mirror);
  stage.add(silver);
  stage.add([-1.9, -0.5, 0.9].map(x => treadmill([x, 0, -1.6], 0)));
  const rack = [0.35, 0.75, 1.1].map((y, r) => [
    tilted(box(plain('#2a2b2d', { roughness: 0.5 }), [2.2, 0.04, 0.34], [0, y, 0]), { x: 0.2 }),
    Array.from({ length: 9 }, (_, i) => dumbbell(-0.95 + i * 0.24, y + 0.09, 0, 0.09 - r * 0.014)),
  ]);
  stage.add(
    assembly(
      [rack, [-1.1, 1.1].map(x => box(plain('#2a2b2d', { roughness: 0.5 }), [0.06, 1.2, 0.3], [x, 0, 0]))],
      [max[0] - 0.35, 0, 1.4],
      -Math.PI / 2,
    ),
  );
  stage.add(
    assembly(
      [
        box(leather('#2b2b2d'), [0.34, 0.09, 1.2], [0, 0.4, 0], 0.04),
        [-0.45, 0.45].map(z => box(plain('#8d8d8b', { roughness: 0.4 }), [0.4, 0.4, 0.08], [0, 0, z], 0.02)),
      ],
      [1.5, 0, 1.2],
      0.5,
    ),
  );
  stage.add(
    [
      ['#7fa0a0', -1.9],
      ['#b98f73', -0.7],
    ].map(([c, x]) => box(plain(c, { roughness: 0.9 }), [0.62, 0.012, 1.8], [x, 0, 1.7], 0.005)),
    ball(plain('#8fa89f', { roughness: 0.5 }), 0.33, [-3.5, 0.33, 2.6]),
    ball(plain('#2d2f31', { roughness: 0.7 }), 0.14, [0.1, 0.14, 2.3]),
  );
  stage.add(
    ledStrip(stage, {
      from: [-3.6, 3.08, -1],
      to: [3.6, 3.08, -1],
      normal: [0, -1, 0],
      radiance: 9,
      width: 0.06,
    }),
    ledStrip(stage, {
      from: [-3.6, 3.08, 1.6],
      to: [3.6, 3.08, 1.6],
      normal: [0, -1, 0],
      radiance: 9,
      width: 0.06,
    }),
    pottedPalm({ at: [3.6, 0, -2.4], height: 2 }),
    tuft({ at: [-3.95, 0, -2.5], base: 0.34, pot: pot(), height: 1, count: 20, width: 0.1, spread: 0.3 }),
  );
  return {
    ...stage.look({ from: [3.4, 1.5, 3.4], to: [-1.3, 1.05, -1.6], degrees: 74 }),
    grade: { key: 0.5, ...grade },
  };
}

export function lobby(stage, { grade }) {
  const [min, max, height] = [[-4.2, -6], [4.2, 4.2], 4.8];
  const marbleWall = stone('calacatta', { roughness: 0.18, tile: 3.6, slabs: 2 });
  interior(stage, {
    min,
    max,
    height,
    time: 'dusk',
    view: 'garden',
    floor: stone('grey', { roughness: 0.1, tile: 3.2, slabs: 2 }),
    gloss: 0.006,
    drapery: null,
    coveLight: 2.4,
    windows: [{ side: 'right', from: -5, to: 3, head: 4.2, panes: 5, bare: true }],
    finishes: { back: marbleWall, left: plaster('#d9cfbf') },
    spots: [
      [-3, -5.2],
      [-1.5, -5.2],
      [0, -5.2],
      [1.5, -5.2],
      [3, -5.2],
      [-3.4, -2],
      [-3.4, 1],
    ],
  });
  stage.add(
    assembly(
      [fluted({ from: -5, to: 3.6, z: 0.02, height: 4.5, material: timber('walnut'), count: 70 })],
      [min[0], 0, -0.6],
      Math.PI / 2,
    ),
  );
  stage.add(
    box(stone('nero', { slabs: 0 }), [4.2, 1.05, 0.8], [0, 0, -4.5], 0.01),
    box(brass(), [4.24, 0.03, 0.84], [0, 1.05, -4.5]),
    box(brass(), [4.22, 0.02, 0.82], [0, 0.1, -4.5]),
    ring(brass(), 0.01, 0.004, [0, 1.1, -4.5]),
  );
  stage.add(
    ledStrip(stage, {
      from: [-2.1, 0.06, -4.07],
      to: [2.1, 0.06, -4.07],
      normal: [0, -0.4, 1],
      radiance: 8,
      width: 0.05,
    }),
    vase({ at: [1.5, 1.08, -4.5], height: 0.5, stems: 16, seed: 3 }),
    tableLamp(stage, { at: [-1.5, 1.08, -4.5], candela: 2.5, height: 0.6 }),
  );
  stage.add(
    ringChandelier(stage, { at: [0, 2.9, -1.4], ceiling: height, radii: [1.3, 0.95, 0.6], candela: 22 }),
  );
  stage.add(
    rug({ width: 4.4, depth: 3.4, at: [0, 0, -0.9], light: '#cdc3b3', dark: '#b09f86' }),
    sofa({
      at: [-1.55, 0.017, -0.9],
      turn: Math.PI / 2,
      fabric: cloth('#d8cfc0'),
      accents: [cloth('#9a7b5c')],
    }),
    [-1.6, -0.2].map(z => armchair({ at: [1.5, 0.017, z], turn: -Math.PI / 2, fabric: cloth('#4f5d58') })),
    slabTable({ at: [0, 0.017, -0.9], turn: Math.PI / 2, top: stone('crema') }),
  );
  stage.add(
    [
      [-3.5, -5],
      [3.5, -5],
      [-3.4, 2.6],
    ].map(([x, z], i) =>
      pottedTree({
        at: [x, 0, z],
        height: 2.8,
        count: 130,
        seed: i + 1,
        pot: pot(plain('#2e2c2a', { roughness: 0.4 }), 0.34, 0.6),
      }),
    ),
    floorLamp(stage, { at: [-2.6, 0, 1.2], candela: 4 }),
    art({ at: [0, 1.75, min[1] + 0.02], width: 2.6, height: 1.7, palette: 'ink', seed: 9, frame: brass() }),
  );
  return {
    ...stage.look({ from: [1.1, 1.5, 4], to: [-0.3, 1.9, -4], degrees: 74 }),
    grade: { key: 0.28, ...grade },
  };
}
