// The villa from its garden, by day and at dusk, from the pool and from the terrace.
import { AmbientLight, Color, Vector3 } from 'three';
import { groundAround, pool } from '../architecture/pool.js';
import { skyDome } from '../architecture/sky.js';
import { city, towers } from '../architecture/skyline.js';
import { timeOfDay } from '../architecture/times.js';
import { villa as house } from '../architecture/villa.js';
import { palm } from '../furniture/palms.js';
import { hedge, pot, tree, tuft } from '../furniture/plants.js';
import { lounger, sofa } from '../furniture/seating.js';
import { slabTable } from '../furniture/tables.js';
import { beamSource, skySource, sunSource } from '../light/sources.js';
import { cloth, decking, lawn, paving, plain, plaster } from '../materials/library.js';
import { assembly, box, cylinder, turned } from '../shapes.js';

/** A white parasol, open. */
export const parasol = at =>
  assembly(
    [
      cylinder(plain('#3a3632', { roughness: 0.5 }), 0.03, 2.6, [0, 0, 0]),
      turned(
        cloth('#f3efe6'),
        [
          [1.5, 2.25],
          [0.05, 2.7],
        ],
        [0, 0, 0],
        8,
      ),
      cylinder(plain('#5a554e'), 0.3, 0.06, [0, 0, 0]),
    ],
    at,
  );

/** Sun and sky of an exterior; without sun, only the sky lights it. */
export function outdoors(stage, time, { focus = [0, 0, 0], radius = 24, sky = 1 } = {}) {
  stage.focus = new Vector3(...focus);
  stage.radius = radius;
  stage.reach = 60;
  if (time.sun > 0) stage.sun = sunSource({ direction: time.sunDirection, color: time.sunColor, irradiance: time.sun });
  stage.sky = skySource({
    zenith: time.zenithColor.clone().lerp(time.middleColor, 0.6),
    horizon: time.horizonColor.clone().lerp(time.middleColor, 0.55),
    radiance: sky,
  });
  // Compensates for missing bounced light under roofs and in corners.
  stage.add(
    skyDome(time),
    new AmbientLight(time.middleColor.clone().lerp(new Color('#ffffff').multiplyScalar(time.radiance), 0.5), 0.35),
  );
}

function planting(stage, time) {
  const lit = time.sun === 0;
  const palms = [
    [-12, -1.5, 7.4],
    [-10.6, 3.4, 6.2],
    [12.2, 1.5, 7.8],
    [9.9, 5.2, 5.4],
    [-13.5, 7, 8],
  ];
  if (lit)
    for (const [x, z, h] of palms)
      stage.light(
        beamSource({
          position: new Vector3(x + 0.4, 0.1, z + 0.5),
          target: new Vector3(x, h, z),
          color: '#ffd09a',
          candela: 14,
          angle: 0.5,
        }),
      );
  return [
    palms.map(([x, z, height], i) => palm({ height, seed: i + 1, at: [x, 0, z] })),
    [-16, -11, 13, 17, -21, 21].map((x, i) =>
      tree({
        height: 6 + (i % 3),
        radius: 2.4,
        count: 1500,
        leaf: 0.26,
        seed: i + 1,
        at: [x, 0, -9 - (i % 2) * 3],
      }),
    ),
    hedge({ size: [9, 1.5, 1], density: 120, leaf: 0.14, at: [-13.4, 0, 1], turn: Math.PI / 2 }),
    hedge({ size: [12, 1.5, 1], density: 120, leaf: 0.14, at: [14.6, 0, 3], turn: Math.PI / 2 }),
    hedge({ size: [2.4, 0.5, 0.7], at: [-7.2, 0.05, 0.9] }),
    [-8.3, -7.6, -6.6].map((x, i) =>
      tuft({
        height: 0.9,
        count: 40,
        width: 0.02,
        spread: 0.7,
        color: '#8d9a63',
        seed: i,
        at: [x, 0.1, 1.7],
      }),
    ),
    [7.4, 8.2, 9.1, 10, 10.8].map((x, i) =>
      tuft({ height: 0.8, count: 24, width: 0.09, color: '#6f8a5c', seed: i + 9, at: [x, 0.05, 0.2] }),
    ),
  ];
}

/** Loungers at the pool, a sofa under the roof. */
function gardenSeats(stage) {
  stage.add(
    [5.6, 7.6].map((x, i) =>
      lounger({
        at: [x, 0.06, 7.4],
        turn: -0.35 - i * 0.05 + Math.PI,
        towel: cloth(i ? '#b98b6b' : '#7f9aa0'),
      }),
    ),
  );
  stage.add(
    sofa({
      at: [-3.2, 0.02, 1.1],
      turn: 0,
      fabric: cloth('#d9d4ca'),
      width: 2.4,
      accents: [cloth('#8b6f55')],
    }),
    slabTable({ at: [-3.2, 0.02, 2.4], size: [1.1, 0.3, 0.6] }),
  );
  stage.add(
    [-6.2, 5.4].map((x, i) => assembly([pot(plain('#4a4744', { roughness: 0.7 }), 0.3, 0.6)], [x, 0.02, 2.4 + i])),
  );
}

export function villa(
  stage,
  {
    time: name = 'day',
    azimuth = 0.9,
    elevation,
    from = [9.5, 1.75, 16.5],
    to = [-0.6, 2.6, 0],
    degrees = 66,
    grade,
    ...looks
  },
) {
  const time = timeOfDay(name, { azimuth, elevation });
  outdoors(stage, time, { focus: [0, 0, 3], radius: 22 });
  const hole = { from: [-6.5, 4.6], to: [4.5, 10.4] };
  const rooms = time.sun > 3 ? 0.5 : time.sun > 0 ? 1 : 1.1;
  stage.add(
    house(stage, { glow: rooms }),
    pool(stage, { from: hole.from, to: hole.to, glow: time.sun > 1 ? 0 : 2.5, light: time.radiance * 0.5 }),
    groundAround({
      from: [-9, -0.8],
      to: [8.5, 13.4],
      hole: { from: [hole.from[0] - 0.45, hole.from[1] - 0.45], to: [hole.to[0] + 0.45, hole.to[1] + 0.45] },
      material: paving('#d2c9ba', 2, 2.4),
      top: 0,
    }),
    box(decking(), [4, 0.06, 6.2], [6.6, 0, 7.6]),
    planting(stage, time),
    box(plaster('#e9e4db'), [60, 2.4, 0.3], [0, 0, -14]),
    towers(time, city({ count: 26, near: 500, far: 1400, spread: 1.1, tall: 190, low: 40, seed: 14 }), {
      haze: 0.0005,
    }),
  );
  stage.add(
    groundAround({
      from: [-60, -60],
      to: [60, 60],
      hole: { from: [-8.9, -0.7], to: [8.4, 13.3] },
      material: lawn(),
      top: -0.03,
    }),
  );
  gardenSeats(stage);
  return { ...stage.look({ from, to, degrees, ...looks }), grade };
}
