// Waterfront scenes: the marina, the beach, the infinity pool above the sea.
import { MeshStandardMaterial, PlaneGeometry, Vector3 } from 'three';
import { poolWater } from '../architecture/pool.js';
import { sea } from '../architecture/sky.js';
import { city, towers } from '../architecture/skyline.js';
import { timeOfDay } from '../architecture/times.js';
import { balustrade } from '../architecture/villa.js';
import { palm } from '../furniture/palms.js';
import { hedge, pot, tuft } from '../furniture/plants.js';
import { lounger } from '../furniture/seating.js';
import { Mirror } from '../light/mirror.js';
import { cloth, decking, glowing, mosaic, paving, plain } from '../materials/library.js';
import { mottled } from '../materials/patterns.js';
import { assembly, box, cylinder, solid, turned } from '../shapes.js';
import { outdoors, parasol } from './villa.js';

/** A motor yacht `length` metres long, its bow to +x. */
function yacht({ length = 18, at, turn, lit }) {
  const white = plain('#f4f4f2', { roughness: 0.3 });
  const dark = plain('#12161b', { roughness: 0.15 });
  const k = length / 18;
  const deck = (size, p) => box(white, size, p, 0.3);
  const hull = turned(
    white,
    [
      [0.2, -0.6],
      [1.5, 0.1],
      [2.05, 1.1],
      [2.1, 1.45],
      [0, 1.45],
    ],
    [0, 0, 0],
    24,
  );
  hull.scale.set(4.4, 1, 1);
  const windows = (size, p) => box(lit ? glowing('#ffce94', 1.1) : dark, size, p, 0.1);
  return assembly(
    [
      hull,
      deck([9, 1.1, 3.1], [-1.6, 1.4, 0]),
      windows([8.4, 0.5, 3.14], [-1.5, 1.75, 0]),
      deck([6, 0.9, 2.7], [-2.2, 2.5, 0]),
      windows([5.4, 0.45, 2.74], [-2.1, 2.75, 0]),
      box(white, [4.6, 0.12, 2.9], [-2.6, 3.75, 0], 0.05),
      [-1, 1].map(s => box(white, [0.1, 0.5, 0.1], [-3.8, 3.3, s])),
      cylinder(white, 0.04, 1.6, [-2.8, 3.8, 0], { sides: 8 }),
    ],
    at,
    turn,
    k,
  );
}

const QUAY_TOWERS = [
  [-150, -210, 34, 190, 2],
  [-96, -232, 30, 245, 0],
  [-44, -250, 36, 300, 3],
  [4, -238, 30, 215, 2],
  [52, -262, 40, 340, 0],
  [104, -236, 30, 225, 1],
  [150, -226, 36, 270, 2],
  [205, -240, 32, 180, 3],
  [-205, -226, 34, 230, 1],
  [-262, -240, 38, 170, 2],
  [262, -232, 36, 210, 0],
];

/** The quay with palms and lamps, and the boats in front of it. */
function quayAndBoats(stage, time) {
  const quay = paving('#cbbfa9', 2, 4);
  stage.add(
    box(quay, [700, 2.2, 30], [0, -0.6, -196]),
    box(plain('#e9e3d8'), [700, 6, 10], [0, 1.6, -206]),
    box(glowing('#ffc788', time.lit > 0.1 ? 1.1 : 0.35), [700, 2.6, 0.2], [0, 2.4, -200.8]),
  );
  stage.add(
    Array.from({ length: 26 }, (_, i) =>
      palm({ height: 8 + (i % 3), size: 3.2, count: 22, seed: i, at: [-250 + i * 20, 1.6, -184] }),
    ),
  );
  if (time.lit > 0.1)
    stage.add(
      Array.from({ length: 40 }, (_, i) =>
        cylinder(glowing('#ffd9a0', 5), 0.35, 0.5, [-250 + i * 13, 5.6, -182], { sides: 10 }),
      ),
    );
  const boats = [
    [-34, 40, 0.15, 20],
    [16, 22, -0.1, 24],
    [-38, -58, 0.2, 22],
    [-14, -96, 0.1, 26],
    [30, -70, -0.12, 20],
    [58, -118, 0.05, 30],
    [-84, -122, 0.15, 28],
    [92, -88, 0.3, 22],
    [14, -146, 0, 30],
    [-130, -150, 0, 26],
    [-56, -152, 0, 22],
  ];
  stage.add(boats.map(([x, z, turn, length]) => yacht({ length, at: [x, 0, z], turn, lit: time.lit > 0.1 })));
}

export function marina(
  stage,
  {
    time: name = 'dusk',
    azimuth = 2.4,
    elevation,
    from = [-20, 9, 130],
    to = [0, 34, -220],
    degrees = 62,
    grade,
    ...looks
  },
) {
  const time = timeOfDay(name, { azimuth, elevation });
  outdoors(stage, time, { focus: [0, 0, -20], radius: 60 });
  const mirror = new Mirror({ point: new Vector3(), normal: new Vector3(0, 1, 0), scale: 0.7 });
  stage.mirrors.push(mirror);
  stage.add(sea(time, { mirror, chop: 0.1, wave: 0.7, haze: 0.00003, deep: '#0d3b4c', shallow: '#1c6470' }));
  const list = QUAY_TOWERS.map(([x, z, width, height, style], i) => ({
    x,
    z,
    width,
    depth: width * 0.9,
    height: height * 0.62,
    style,
    turn: (i % 3) * 0.3 - 0.3,
    drum: i % 5 === 3,
    tone: ['#efe9df', '#c3ccd4', '#e2d3bd', '#f3f1ec', '#b9c3cb'][i % 5],
  }));
  stage.add(
    towers(time, list, { haze: 0.00012, seed: 12 }),
    towers(time, city({ count: 60, near: 380, far: 1300, spread: 1.1, tall: 240, low: 60, seed: 41 }), {
      haze: 0.00022,
      seed: 13,
    }),
  );
  quayAndBoats(stage, time);
  return {
    ...stage.look({ from, to, degrees, ...looks }),
    grade: { key: name === 'day' ? 0.4 : 0.24, bloom: 0.16, ...grade },
  };
}

const sand = () => {
  const surface = mottled({ color: '#e6d6b8', spread: 0.09, tile: 4, relief: 0.012 });
  const material = new MeshStandardMaterial({
    map: surface.map,
    normalMap: surface.normalMap,
    roughness: 1,
    envMapIntensity: 0.2,
  });
  material.userData.albedo = surface.mean;
  return material;
};

/** A sand slope into the water, with a line of foam. */
function shoreline(stage) {
  const shore = solid(new PlaneGeometry(260, 60, 60, 30).rotateX(-Math.PI / 2), sand(), [0, 0, 26]);
  const p = shore.geometry.attributes.position;
  for (let i = 0; i < p.count; i++)
    p.setY(i, Math.min(0.5, (p.getZ(i) + 30) * 0.11 - 0.9 + Math.sin(p.getX(i) * 0.07) * 0.16));
  shore.geometry.computeVertexNormals();
  const uv = shore.geometry.attributes.uv;
  for (let i = 0; i < uv.count; i++) uv.setXY(i, uv.getX(i) * 260, uv.getY(i) * 60);
  shore.castShadow = false;
  const foam = solid(
    new PlaneGeometry(260, 0.7).rotateX(-Math.PI / 2),
    plain('#ffffff', { transparent: true, opacity: 0.5 }),
    [0, -0.2, 1.9],
  );
  stage.add(shore, foam);
}

/** A beach with loungers and palms, turquoise water, hotels and towers across the bay. */
export function beach(stage, { time: name = 'day', grade }) {
  const time = timeOfDay(name, { azimuth: 0.7, elevation: 0.8 });
  outdoors(stage, time, { focus: [0, 0, 4], radius: 20 });
  stage.add(sea(time, { y: -0.25, chop: 0.45, wave: 0.5, deep: '#0f7f92', shallow: '#5fd0cc', haze: 0.0002 }));
  shoreline(stage);
  stage.add(
    towers(time, city({ count: 34, near: 900, far: 1500, spread: 0.85, tall: 260, low: 40, seed: 17 }), {
      haze: 0.00022,
    }),
  );
  stage.add(
    [-3.4, -2.2, 2.2, 3.4].map((x, i) =>
      lounger({ at: [x, 0.5, 11.2], turn: Math.PI, towel: cloth(i % 2 ? '#7fa0ac' : '#d9a78e') }),
    ),
    [-2.8, 2.8].map(x => parasol([x, 0.5, 12])),
  );
  stage.add(
    [
      [-9.5, 7, 7.5],
      [-7.2, 8.5, 6.2],
      [8.6, 7, 7.2],
      [11.5, 9, 8],
      [-13.5, 6, 6.5],
      [15, 7, 7.2],
    ].map(([x, z, height], i) => palm({ height, size: 2.9, lean: 0.9, seed: i + 4, at: [x, -0.1, z] })),
  );
  return {
    ...stage.look({ from: [0.4, 2.1, 19], to: [0, 1.5, -10], degrees: 66 }),
    grade: { key: 0.46, ...grade },
  };
}

/** The pool's basin and water, the deck, the planting. */
function poolTerrace(stage, time) {
  const tiles = mosaic(['#2f8ea6', '#3fa3b6', '#258099', '#57b5c0']);
  stage.add(
    box(tiles, [9, 0.2, 8], [-2, -1.5, -1]),
    box(tiles, [0.2, 1.5, 8], [-6.6, -1.5, -1]),
    box(tiles, [9.2, 1.44, 0.25], [-2, -1.5, -5]),
    box(paving('#d8d0c2'), [5.4, 1.5, 8.2], [5.2, -1.5, -1]),
    box(paving('#d8d0c2'), [22, 1.5, 12], [0, -1.5, 8.98]),
    box(paving('#d8d0c2'), [0.5, 1.5, 8], [-6.8, -1.48, -1]),
  );
  stage.add(
    poolWater(stage, {
      at: [-2, -0.05, -1],
      size: [9, 8],
      tint: '#1f7f95',
      light: time.radiance * 0.5,
      body: 0.45,
      ripple: 0.07,
    }),
  );
  stage.add(balustrade({ from: 2.6, to: 12, z: -5, y: 0 }), box(decking(), [4.6, 0.05, 5], [5.4, 0, -1.4]));
  stage.add(
    [-0.3, -2.1].map((z, i) =>
      lounger({ at: [5.2, 0.05, z], turn: -Math.PI / 2 + Math.PI, towel: cloth(i ? '#b98b6b' : '#e9e3d8') }),
    ),
    parasol([6.6, 0.05, -1.2]),
  );
  stage.add(
    [
      [-7.6, -2],
      [-7.6, 1.4],
      [-7.6, 4],
    ].map(([x, z], i) =>
      tuft({ at: [x, 0, z], height: 1.1, count: 40, width: 0.03, spread: 0.7, color: '#8d9a63', seed: i }),
    ),
    hedge({ size: [1, 0.8, 12], at: [-8.6, -0.4, 1], leaf: 0.12 }),
    palm({ height: 4.6, seed: 6, at: [-8.2, -0.4, -3.4] }),
    assembly([pot(plain('#45423f'), 0.3, 0.6)], [3.1, 0, 3.2]),
    tuft({ at: [3.1, 0, 3.2], base: 0.55, height: 0.9, count: 30, width: 0.06 }),
  );
}

/** An infinity pool on a high terrace, with the sea and the far shore behind it. */
export function infinityPool(
  stage,
  {
    time: name = 'sunset',
    azimuth = 2.75,
    elevation = 0.17,
    from = [2.4, 1.65, 5.4],
    to = [-1.6, 0.75, -8],
    degrees = 74,
    grade,
    ...looks
  },
) {
  const time = timeOfDay(name, { azimuth, elevation });
  outdoors(stage, time, { focus: [0, 0, 0], radius: 14 });
  stage.add(
    sea(time, { y: -60, chop: 0.5, deep: '#0e5f78', shallow: '#2f9fae' }),
    towers(time, city({ count: 30, near: 900, far: 1900, spread: 0.8, facing: 0.35, tall: 270, low: 50, seed: 23 }), {
      y: -60,
      haze: 0.00022,
    }),
  );
  poolTerrace(stage, time);
  return { ...stage.look({ from, to, degrees, ...looks }), grade: { key: 0.36, bloom: 0.14, ...grade } };
}
