// Streets and towers from the pavement: a row of townhouses, a high-rise from below, a garden with its path.
import { PlaneGeometry, Vector3 } from 'three';
import { groundAround } from '../architecture/pool.js';
import { curtain } from '../architecture/room.js';
import { city, towers } from '../architecture/skyline.js';
import { timeOfDay } from '../architecture/times.js';
import { hedge, palm, pot, tree, tuft } from '../furniture/plants.js';
import { diningChair, loungeChair, sofa } from '../furniture/seating.js';
import { diningTable, slabTable } from '../furniture/tables.js';
import { areaSource } from '../light/sources.js';
import {
  blackMetal,
  cladding,
  cloth,
  concrete,
  decking,
  glass,
  glowing,
  lawn,
  paving,
  plain,
  plaster,
  timber,
} from '../materials/library.js';
import { assembly, ball, box, cylinder, solid, tube } from '../shapes.js';
import { outdoors } from './villa.js';

/** A window with its reveal, its curtains and a warm or a dark room behind. */
function window(w, h, at, lit) {
  const room = box(
    lit ? glowing('#ffcf94', 0.55) : plain('#2b3036', { roughness: 0.3 }),
    [w, h, 0.02],
    [0, 0, -0.32],
  );
  const pane = solid(new PlaneGeometry(w, h), glass({ opacity: 0.35, tint: '#5b6c78' }), [0, h / 2, -0.08]);
  return assembly(
    [
      room,
      pane,
      [-1, 1].map(s =>
        assembly(
          [curtain({ width: w * 0.3, height: h, folds: 5, depth: 0.04, color: '#e9e2d5' })],
          [(s * w) / 2 - s * w * 0.15, 0, -0.22],
        ),
      ),
      box(blackMetal(), [w, 0.05, 0.1], [0, 0, -0.06]),
      box(blackMetal(), [w, 0.05, 0.1], [0, h - 0.05, -0.06]),
      [-0.5, 0, 0.5].map(t => box(blackMetal(), [0.05, h, 0.1], [t * (w - 0.05), 0, -0.06])),
    ],
    at,
  );
}

/** One townhouse, 7.6 m wide, its front at z = 0: garage or living window below, balcony and bedrooms above. */
function townhouse(stage, { at, variant, lit }) {
  const render = plaster(['#f0ebe2', '#e4d8c5', '#f3f0ea'][variant % 3]);
  const accent = variant % 2 ? cladding() : timber('teak');
  const w = 7.6;
  const parts = [
    box(render, [w, 3.1, 0.3], [0, 6.3 - 3.1, -1.6]),
    box(render, [w, 0.35, 6], [0, 3.05, -3]),
    box(render, [w, 0.5, 7], [0, 6.4, -3.2]),
    box(render, [w, 3.05, 0.3], [0, 0, -1.2]),
    [-1, 1].map(s => box(render, [0.35, 6.9, 7], [(s * (w - 0.35)) / 2, 0, -3.1])),
    box(accent, [3.2, 6.4, 0.5], [variant % 2 ? -1.9 : 1.9, 0, -0.85]),
    box(render, [w - 0.8, 0.3, 1.9], [0, 3.05, -0.2]),
    box(plain('#3a3d3f', { roughness: 0.5 }), [2.9, 2.4, 0.1], [variant % 2 ? 1.7 : -1.7, 0.02, -0.98]),
    Array.from({ length: 7 }, (_, i) =>
      box(plain('#2c2f31'), [2.9, 0.015, 0.02], [variant % 2 ? 1.7 : -1.7, 0.35 + i * 0.3, -0.92]),
    ),
    box(timber('walnut'), [1.1, 2.35, 0.1], [variant % 2 ? -1.2 : 1.2, 0.05, -0.57]),
    box(metal(), [0.03, 0.9, 0.05], [variant % 2 ? -0.85 : 0.85, 0.8, -0.5]),
    window(0.9, 2, [variant % 2 ? -2.7 : 2.7, 0.4, -0.53], lit),
    window(2.6, 2.2, [variant % 2 ? 1.7 : -1.7, 3.5, -1.38], lit && variant !== 1),
    window(1.7, 1.7, [variant % 2 ? -1.9 : 1.9, 3.9, -0.53], lit),
    solid(new PlaneGeometry(3.4, 1), glass({ opacity: 0.25, tint: '#9fb2b8' }), [
      variant % 2 ? 1.7 : -1.7,
      3.85,
      0.72,
    ]),
    box(blackMetal(), [3.4, 0.04, 0.05], [variant % 2 ? 1.7 : -1.7, 4.35, 0.72]),
    [-1.2, 1.2].map(x =>
      box(
        glowing('#ffd9a5', lit ? 5 : 1.5),
        [0.08, 0.22, 0.06],
        [x + (variant % 2 ? -1.2 : 1.2), 2.1, -0.55],
      ),
    ),
  ];
  if (lit)
    stage.light(
      areaSource({
        centre: new Vector3(at[0], 3.0, 0.2),
        u: new Vector3(3, 0, 0),
        v: new Vector3(0, 0, 0.4),
        normal: new Vector3(0, -1, 0),
        color: '#ffca92',
        radiance: 0.6,
      }),
    );
  return assembly(parts, at);
}

const metal = () => plain('#b9b6b0', { roughness: 0.3, metalness: 1 });

export function street(stage, { time: name = 'morning', grade }) {
  const time = timeOfDay(name, { azimuth: 0.35, elevation: 0.42 });
  outdoors(stage, time, { focus: [2, 0, 2], radius: 24 });
  stage.add(
    [-2, -1, 0, 1, 2].map(i => townhouse(stage, { at: [i * 7.8, 0, 0], variant: i + 2, lit: false })),
  );
  stage.add(
    box(lawn(), [60, 0.1, 5], [0, -0.1, 3.1]),
    [-2, -1, 0, 1, 2].map(i => [
      box(paving('#cfc7b8', 3, 1.8), [3.1, 0.03, 5.6], [i * 7.8 + (i % 2 ? 1.7 : -1.7), 0, 2.2]),
      box(paving('#d9d2c4', 2, 1.2), [1.3, 0.03, 5.6], [i * 7.8 + (i % 2 ? -1.2 : 1.2), 0, 2.2]),
      hedge({
        size: [1.9, 0.7, 0.6],
        density: 200,
        at: [i * 7.8 + (i % 2 ? -2.9 : 2.9), 0, 0.3],
        seed: i + 4,
      }),
      hedge({ size: [0.5, 0.8, 4.4], density: 140, at: [i * 7.8 + 3.9, 0, 3], seed: i + 9 }),
    ]),
  );
  stage.add(
    box(paving('#c9c2b5', 4, 2), [120, 0.12, 2.2], [0, -0.12, 6.6]),
    box(concrete('#b3aea6'), [120, 0.16, 0.25], [0, -0.16, 7.8]),
    box(concrete('#5a5a5b'), [120, 0.1, 14], [0, -0.24, 14.9]),
  );
  stage.add(
    [-14.6, 10.6, 2.2, 18.4, 24].map((x, i) =>
      i % 2
        ? palm({ height: 6.5 + (i % 3), seed: i, at: [x, 0, 5.3] })
        : tree({ height: 5.4, radius: 1.8, count: 1700, seed: i + 2, at: [x, 0, 5.2] }),
    ),
    [-24, 28, 34].map((x, i) => tree({ height: 7, radius: 2.4, count: 1200, seed: i, at: [x, 0, 4] })),
  );
  stage.add(
    towers(
      time,
      city({ count: 30, near: 500, far: 1200, spread: 1.3, facing: 0.5, tall: 180, low: 40, seed: 81 }),
      { haze: 0.0006 },
    ),
  );
  stage.add(
    [-9, 6.4].map(x => [
      tube(
        plain('#3b3d3f'),
        [
          [x, 0, 7.2],
          [x, 3, 7.2],
          [x, 4.4, 7.25],
          [x, 4.7, 7.8],
        ],
        0.045,
      ),
      box(glowing('#fff1d6', 1.2), [0.2, 0.05, 0.4], [x, 4.68, 7.95]),
    ]),
  );
  return {
    ...stage.look({ from: [-8.6, 1.7, 13.4], to: [2.4, 2.7, 0], degrees: 70 }),
    grade: { key: 0.42, ...grade },
  };
}

/** A residential tower seen from its garden, looking up: balconies that turn a little at each storey. */
export function highRise(stage, { time: name = 'day', grade }) {
  const time = timeOfDay(name, { azimuth: 0.9, elevation: 0.75 });
  outdoors(stage, time, { focus: [0, 40, -10], radius: 62 });
  const white = plaster('#f2efe9');
  const glazing = plain('#7f9fb3', { roughness: 0.06, metalness: 0.85 });
  const storeys = 44;
  const parts = [];
  for (let i = 0; i < storeys; i++) {
    const y = 7 + i * 3.3;
    const turn = i * 0.013;
    const bulge = 1 + 0.08 * Math.sin(i * 0.16);
    parts.push(
      assembly(
        [
          box(white, [21 * bulge, 0.42, 17 * bulge], [0, 0, 0], 0.2),
          box(glazing, [18.6, 2.9, 14.6], [0, 0.42, 0], 0.06),
          Array.from({ length: 9 }, (_, k) => box(plain('#d9d6d0'), [0.16, 2.9, 15], [-8 + k * 2, 0.42, 0])),
          [-1, 1].map(s =>
            box(
              glass({ opacity: 0.3, tint: '#c3d6de' }),
              [20.6 * bulge, 1, 0.05],
              [0, 0.42, s * 8.3 * bulge],
            ),
          ),
          i % 3 === 0 && box(timber('teak'), [0.2, 2.9, 5], [9.4, 0.42, 2]),
        ],
        [0, y, -24],
        turn,
      ),
    );
  }
  parts.push(
    box(plaster('#e4dccf'), [30, 6.6, 24], [0, 0, -24], 0.1),
    box(glazing, [26, 5, 0.1], [0, 0.6, -11.95]),
    box(timber('teak'), [30.4, 0.4, 4], [0, 6.6, -11]),
  );
  stage.add(
    parts,
    towers(
      time,
      [
        { x: -62, z: -120, width: 34, depth: 30, height: 170, style: 2, tone: '#efe9df' },
        { x: 60, z: -140, width: 30, depth: 30, height: 210, style: 0, tone: '#c3ccd4' },
        { x: 96, z: -90, width: 30, depth: 26, height: 120, style: 1 },
      ],
      { haze: 0.0012 },
    ),
  );
  stage.add(
    box(paving('#d2c9ba', 2, 3), [160, 0.2, 120], [0, -0.2, 10]),
    [
      [-13, -4, 9],
      [12.5, -5, 10],
      [-17, 3, 8],
      [17, 2.5, 8.6],
    ].map(([x, z, h], i) => palm({ height: h, size: 3, seed: i + 2, at: [x, 0, z] })),
    hedge({ size: [12, 1, 1.4], at: [-11, 0, -6], leaf: 0.16, density: 120 }),
    hedge({ size: [12, 1, 1.4], at: [11.5, 0, -6], leaf: 0.16, density: 120 }),
  );
  return {
    ...stage.look({ from: [6, 1.7, 34], to: [0.6, 62, -24], degrees: 78, upright: false }),
    grade: { key: 0.4, ...grade },
  };
}

/** A back garden: lawn, path, dining under a tree, a seating corner by a lit wall. */
export function garden(
  stage,
  { time: name = 'morning', from = [4.4, 1.6, 9], to = [-1.4, 1.1, -2], degrees = 68, grade, ...looks },
) {
  const time = timeOfDay(name, { azimuth: 0.9, elevation: 0.6 });
  outdoors(stage, time, { focus: [0, 0, 0], radius: 15 });
  stage.add(
    groundAround({
      from: [-30, -30],
      to: [30, 30],
      hole: { from: [-6, -5.2], to: [-1.2, -0.6] },
      material: lawn(),
      top: 0,
    }),
    box(paving('#d2c9ba', 2, 1.6), [4.8, 0.3, 4.6], [-3.6, -0.27, -2.9]),
  );
  stage.add(
    Array.from({ length: 9 }, (_, i) =>
      box(
        paving('#d9d2c4', 1, 1.2),
        [1.5, 0.05, 0.62],
        [2 - i * 0.12 + Math.sin(i * 0.4) * 0.5, 0, 6.6 - i * 1.05],
        0.01,
      ),
    ),
  );
  stage.add(
    box(cladding(), [26, 2.3, 0.4], [0, 0, -7.4]),
    box(plaster('#e9e2d6'), [0.4, 2.3, 26], [-9.6, 0, 3]),
    hedge({ size: [24, 0.8, 1], at: [0, 0, -6.6], leaf: 0.13 }),
    hedge({ size: [1, 1.2, 15], at: [-8.9, 0, 1], leaf: 0.13 }),
  );
  stage.add(
    tree({
      height: 5.4,
      radius: 2.5,
      count: 3600,
      leaf: 0.2,
      color: '#7d8f5f',
      seed: 5,
      at: [-6.6, 0, -4.6],
    }),
    tree({ height: 4.6, radius: 1.9, count: 2400, seed: 8, at: [4.8, 0, -5] }),
    [
      [1.4, -5.4, 6],
      [8, -2.5, 7],
      [-8.2, 3.4, 6],
    ].map(([x, z, h], i) => palm({ height: h, seed: i + 3, at: [x, 0, z] })),
    [-14, -6, 3, 12].map((x, i) =>
      tree({ height: 7, radius: 2.8, count: 1500, leaf: 0.3, seed: i + 12, at: [x, 0, -12] }),
    ),
  );
  stage.add(
    diningTable({ at: [-3.6, 0.03, -2.9], size: [2.4, 0.75, 1], top: timber('teak') }),
    [-4.4, -3.6, -2.8].flatMap(x => [
      diningChair({ at: [x, 0.03, -2.15], turn: Math.PI, fabric: cloth('#ded6c8'), foot: timber('teak') }),
      diningChair({ at: [x, 0.03, -3.65], turn: 0, fabric: cloth('#ded6c8'), foot: timber('teak') }),
    ]),
  );
  stage.add(
    box(decking(), [4.2, 0.08, 3.6], [4.6, 0, -1.2]),
    sofa({
      at: [4.9, 0.08, -2.3],
      width: 2.3,
      seats: 2,
      fabric: cloth('#e4ddd0'),
      accents: [cloth('#b5673f'), cloth('#8b8f7a')],
    }),
    slabTable({ at: [4.8, 0.08, -0.9], size: [1, 0.3, 0.6] }),
    loungeChair({ at: [3.3, 0.08, -0.9], turn: 1.5, wood: timber('teak') }),
  );
  stage.add(
    Array.from({ length: 12 }, (_, i) =>
      tuft({
        at: [-7.9 + (i % 3) * 0.5, 0, -1 + i * 0.75],
        height: 0.7 + (i % 3) * 0.2,
        count: 34,
        width: 0.025,
        spread: 0.8,
        color: ['#93a06a', '#7d9a5c', '#a3a878'][i % 3],
        seed: i,
      }),
    ),
    [0.6, 1.2, 2.6, 3.1].map((x, i) =>
      tuft({ at: [x, 0, -5.6], height: 0.8, count: 22, width: 0.1, color: '#6f8a5c', seed: i + 30 }),
    ),
    [
      [-0.8, -0.4],
      [2.2, -2.8],
    ].map(([x, z]) =>
      assembly(
        [
          pot(plain('#b9764f', { roughness: 0.9 }), 0.26, 0.5),
          ball(plain('#56753b', { roughness: 1 }), 0.3, [0, 0.7, 0]),
        ],
        [x, 0, z],
      ),
    ),
  );
  return { ...stage.look({ from, to, degrees, ...looks }), grade: { key: 0.4, ...grade } };
}
