// Outdoor living areas: a roof terrace with loungers and a lounge at sunset, a balcony with its view.
import { Vector3 } from 'three';
import { sea } from '../architecture/sky.js';
import { city, towers } from '../architecture/skyline.js';
import { timeOfDay } from '../architecture/times.js';
import { balustrade } from '../architecture/villa.js';
import { rug, tray, vase } from '../furniture/decor.js';
import { palm } from '../furniture/palms.js';
import { hedge, pot, pottedTree, tuft } from '../furniture/plants.js';
import { cornerSofa, loungeChair, lounger, sofa } from '../furniture/seating.js';
import { slabTable } from '../furniture/tables.js';
import { areaSource, globeSource } from '../light/sources.js';
import { blackMetal, cladding, cloth, decking, glowing, paving, plain, plaster, timber } from '../materials/library.js';
import { assembly, ball, box, cylinder } from '../shapes.js';
import { golfCourse } from './golf-course.js';
import { outdoors, parasol } from './villa.js';

const lantern = (stage, at) => {
  stage.light(globeSource({ position: new Vector3(at[0], at[1] + 0.2, at[2]), color: '#ffb870', candela: 1.1 }));
  return assembly(
    [
      box(blackMetal(), [0.2, 0.02, 0.2], [0, 0, 0]),
      box(blackMetal(), [0.2, 0.02, 0.2], [0, 0.36, 0]),
      [-1, 1].flatMap(x => [-1, 1].map(z => box(blackMetal(), [0.014, 0.36, 0.014], [x * 0.09, 0, z * 0.09]))),
      cylinder(glowing('#ffcf8f', 4), 0.035, 0.15, [0, 0.02, 0]),
    ],
    at,
  );
};

/** Sofa and table under the pergola, loungers, lanterns, plants. */
function terraceThings(stage, wood) {
  stage.add(
    rug({ width: 4.2, depth: 3, at: [-3, 0, -1.3], light: '#d9cfbd', dark: '#bcae95' }),
    cornerSofa({
      at: [-3.3, 0.017, -2.6],
      fabric: cloth('#e4ddd0'),
      accents: [cloth('#b5673f'), cloth('#8b8f7a'), cloth('#d9b98f')],
      width: 3.6,
      side: -1,
      chaise: 2,
    }),
    slabTable({ at: [-2.6, 0.017, -0.9], size: [1.3, 0.32, 0.8], top: paving('#d8d0c2') }),
    loungeChair({ at: [-1.3, 0.017, -0.2], turn: -2.4, fabric: cloth('#e4ddd0'), wood }),
  );
  stage.add(
    [1.6, 3.1].map((x, i) =>
      lounger({ at: [x, 0, -2.6], turn: Math.PI - 0.1, towel: cloth(i ? '#d9cfbd' : '#b5673f') }),
    ),
    parasol([2.35, 0, -1.2]),
  );
  stage.add(lantern(stage, [0.5, 0, 0.6]), lantern(stage, [0.85, 0, 0.9]), lantern(stage, [-2.9, 0.34, -0.8]));
  stage.add(
    [-8, -7].map((x, i) =>
      tuft({
        at: [x, 0, -3.6 + i],
        base: 0.5,
        pot: pot(plain('#3d3a37'), 0.28, 0.55),
        height: 1.2,
        count: 44,
        width: 0.03,
        spread: 0.6,
        color: '#93a06a',
        seed: i,
      }),
    ),
    pottedTree({
      at: [5.4, 0, -3.9],
      height: 2.4,
      count: 140,
      leaf: 0.2,
      color: '#6a8050',
      pot: pot(plain('#3d3a37'), 0.32, 0.6),
    }),
    hedge({ size: [5, 0.9, 0.7], at: [-8.4, 0, 0.5], turn: Math.PI / 2, leaf: 0.1 }),
    palm({ height: 4.4, seed: 9, at: [7.6, 0, -3.2] }),
  );
}

/** A pergola with small lamps. */
function pergola(stage, wood) {
  const [x0, x1, z0, z1, h] = [-5.6, -0.4, -3.6, 0.8, 2.7];
  stage.add(
    [x0, x1].flatMap(x => [z0, z1].map(z => box(wood, [0.16, h, 0.16], [x, 0, z]))),
    [z0, z1].map(z => box(wood, [x1 - x0 + 0.8, 0.2, 0.12], [(x0 + x1) / 2, h, z])),
    Array.from({ length: 16 }, (_, i) =>
      box(wood, [0.06, 0.16, z1 - z0 + 0.9], [x0 + ((x1 - x0) * i) / 15, h + 0.2, (z0 + z1) / 2]),
    ),
  );
  stage.light(
    areaSource({
      centre: new Vector3(-3, h + 0.1, -1.4),
      u: new Vector3(2, 0, 0),
      v: new Vector3(0, 0, 1.4),
      normal: new Vector3(0, -1, 0),
      color: '#ffbe80',
      radiance: 0.22,
    }),
  );
  stage.add(
    Array.from({ length: 14 }, (_, i) =>
      ball(
        glowing('#ffd09a', 5),
        0.035,
        [x0 + ((x1 - x0) * i) / 13, h - 0.12 - Math.sin((i / 13) * Math.PI * 3) ** 2 * 0.14, z1],
        10,
      ),
    ),
  );
}

/** A timber pergola over a lounge, loungers next to it, the city across the water. */
export function terrace(
  stage,
  {
    time: name = 'sunset',
    azimuth = 2.55,
    elevation = 0.13,
    from = [-3.6, 1.6, 5.2],
    to = [0.8, 1.25, -4],
    degrees = 74,
    grade,
    ...looks
  },
) {
  const time = timeOfDay(name, { azimuth, elevation });
  outdoors(stage, time, { focus: [0, 0, 1], radius: 13 });
  stage.add(
    sea(time, { y: -48, chop: 0.5 }),
    towers(time, city({ count: 40, near: 500, far: 1600, spread: 1.1, tall: 300, low: 60, seed: 52 }), {
      y: -48,
      haze: 0.00022,
    }),
  );
  stage.add(
    box(decking(), [18, 0.2, 14], [0, -0.2, 2]),
    balustrade({ from: -9, to: 9, z: -4.8, y: 0 }),
    box(plaster('#ece6db'), [18, 0.3, 0.4], [0, -0.3, -5]),
  );
  const wood = timber('teak');
  pergola(stage, wood);
  terraceThings(stage, wood);
  return { ...stage.look({ from, to, degrees, ...looks }), grade: { key: 0.33, bloom: 0.14, ...grade } };
}

/** Seats around a low table, plants. */
function balconyThings(stage) {
  stage.add(
    rug({ width: 3.2, depth: 2.2, at: [-1.2, 0, 0.2], light: '#d9cfbd', dark: '#c2b59d' }),
    sofa({
      at: [-2.75, 0.017, 0.4],
      turn: Math.PI / 2,
      width: 2.1,
      seats: 2,
      fabric: cloth('#e4ddd0'),
      accents: [cloth('#7fa0ac'), cloth('#b5673f')],
    }),
    slabTable({ at: [-1.3, 0.017, 0.3], size: [0.9, 0.34, 0.6], foot: timber('teak') }),
    loungeChair({ at: [0.2, 0.017, 0.15], turn: -1.9, wood: timber('teak') }),
  );
  stage.add(
    vase({ at: [-1.4, 0.37, 0.2], height: 0.18, stems: 6 }),
    tray({ at: [-1.1, 0.37, 0.45] }),
    tuft({
      at: [-2.9, 0, -1.2],
      base: 0.5,
      pot: pot(plain('#45423f'), 0.26, 0.52),
      height: 1.1,
      count: 34,
      width: 0.06,
      spread: 0.5,
    }),
    pottedTree({ at: [3.2, 0, -1.1], height: 1.9, count: 90, pot: pot(plain('#45423f'), 0.26, 0.5) }),
  );
}

/** A covered balcony: two chairs and a table, with the view 'marina' or 'golf'. */
export function balcony(
  stage,
  {
    time: name = 'day',
    view = 'marina',
    azimuth = 2.2,
    elevation = 0.7,
    from = [1.5, 1.6, 3.3],
    to = [-0.4, 1.25, -4],
    degrees = 72,
    grade,
    ...looks
  },
) {
  const time = timeOfDay(name, { azimuth, elevation });
  outdoors(stage, time, { focus: [0, 0.5, 0], radius: 9 });
  stage.add(
    view === 'golf'
      ? golfCourse(time)
      : [
          sea(time, { y: -85, chop: 0.5, deep: '#0e5f78', shallow: '#2f9fae' }),
          towers(time, city({ count: 40, near: 300, far: 1000, spread: 1.2, tall: 300, low: 60, seed: 61 }), {
            y: -85,
            haze: 0.00022,
          }),
        ],
  );
  stage.add(
    box(paving('#d5ccbd', 2, 1.6), [9, 0.2, 5.4], [0, -0.2, 0.9]),
    box(plaster('#f0ece4'), [9, 0.3, 5.4], [0, 2.9, 0.9]),
    box(timber('teak'), [8.8, 0.03, 5], [0, 2.87, 0.9]),
    box(cladding(), [0.4, 3, 5.4], [-3.6, 0, 0.9]),
    box(plaster('#ece6db'), [0.4, 3, 3], [4, 0, 2.4]),
    balustrade({ from: -3.4, to: 4.5, z: -1.7, y: 0 }),
  );
  stage.light(
    areaSource({
      centre: new Vector3(0, 2.84, 1),
      u: new Vector3(2.5, 0, 0),
      v: new Vector3(0, 0, 1.4),
      normal: new Vector3(0, -1, 0),
      color: '#ffe2c0',
      radiance: name === 'sunset' ? 0.25 : 0.12,
    }),
  );
  stage.add(
    [
      [-2.2, -0.4],
      [-0.5, -0.4],
      [1.2, -0.4],
    ].map(([x, z]) => cylinder(glowing('#ffdcae', 4), 0.05, 0.01, [x, 2.86, z])),
  );
  balconyThings(stage);
  return { ...stage.look({ from, to, degrees, ...looks }), grade: { key: 0.4, ...grade } };
}
