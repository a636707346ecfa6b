// A street of townhouses in the morning sun.
import { PlaneGeometry, Vector3 } from 'three';
import { curtain } from '../architecture/room.js';
import { city, towers } from '../architecture/skyline.js';
import { timeOfDay } from '../architecture/times.js';
import { palm } from '../furniture/palms.js';
import { hedge, tree } from '../furniture/plants.js';
import { areaSource } from '../light/sources.js';
import {
  blackMetal,
  cladding,
  concrete,
  glass,
  glowing,
  lawn,
  paving,
  plain,
  plaster,
  timber,
} from '../materials/library.js';
import { assembly, box, solid, tube } from '../shapes.js';
import { outdoors } from './villa.js';

/** A window with reveal, curtains, and a lit or dark room behind. */
function window(w, h, at, lit) {
  const room = box(lit ? glowing('#ffcf94', 0.55) : plain('#2b3036', { roughness: 0.3 }), [w, h, 0.02], [0, 0, 0]);
  const pane = solid(new PlaneGeometry(w, h), glass({ opacity: 0.35, tint: '#5b6c78' }), [0, h / 2, 0.09]);
  return assembly(
    [
      room,
      pane,
      [-1, 1].map(s =>
        assembly(
          [curtain({ width: w * 0.3, height: h, folds: 5, depth: 0.02, color: '#e9e2d5' })],
          [(s * w) / 2 - s * w * 0.15, 0, 0.045],
        ),
      ),
      box(blackMetal(), [w, 0.05, 0.1], [0, 0, 0.09]),
      box(blackMetal(), [w, 0.05, 0.1], [0, h - 0.05, 0.09]),
      [-0.5, 0, 0.5].map(t => box(blackMetal(), [0.05, h, 0.1], [t * (w - 0.05), 0, 0.09])),
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
    window(0.9, 2, [variant % 2 ? -2.7 : 2.7, 0.4, -0.58], lit),
    window(2.6, 2.2, [variant % 2 ? 1.7 : -1.7, 3.5, -1.43], lit && variant !== 1),
    window(1.7, 1.7, [variant % 2 ? -1.9 : 1.9, 3.9, -0.58], lit),
    solid(new PlaneGeometry(3.4, 1), glass({ opacity: 0.25, tint: '#9fb2b8' }), [variant % 2 ? 1.7 : -1.7, 3.85, 0.72]),
    box(blackMetal(), [3.4, 0.04, 0.05], [variant % 2 ? 1.7 : -1.7, 4.35, 0.72]),
    [-1.2, 1.2].map(x =>
      box(glowing('#ffd9a5', lit ? 5 : 1.5), [0.08, 0.22, 0.06], [x + (variant % 2 ? -1.2 : 1.2), 2.1, -0.55]),
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
  stage.add([-2, -1, 0, 1, 2].map(i => townhouse(stage, { at: [i * 7.8, 0, 0], variant: i + 2, lit: false })));
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
    towers(time, city({ count: 30, near: 500, far: 1200, spread: 1.3, facing: 0.5, tall: 180, low: 40, seed: 81 }), {
      haze: 0.0006,
    }),
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
