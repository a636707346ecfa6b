import { towers } from '../architecture/skyline.js';
import { timeOfDay } from '../architecture/times.js';
import { palm } from '../furniture/palms.js';
import { hedge } from '../furniture/plants.js';
import { glass, paving, plain, plaster, timber } from '../materials/library.js';
import { assembly, box } from '../shapes.js';
import { outdoors } from './villa.js';

/** Paving, palms and hedges at the tower's foot. */
function forecourt(stage) {
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
}

/** A residential tower seen from its garden, looking up; its balconies rotate slightly with each storey. */
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
            box(glass({ opacity: 0.3, tint: '#c3d6de' }), [20.6 * bulge, 1, 0.05], [0, 0.42, s * 8.3 * bulge]),
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
  forecourt(stage);
  return {
    ...stage.look({ from: [6, 1.7, 34], to: [0.6, 62, -24], degrees: 78, upright: false }),
    grade: { key: 0.4, ...grade },
  };
}
