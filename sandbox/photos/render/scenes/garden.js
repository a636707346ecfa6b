import { groundAround } from '../architecture/pool.js';
import { timeOfDay } from '../architecture/times.js';
import { palm } from '../furniture/palms.js';
import { hedge, pot, tree, tuft } from '../furniture/plants.js';
import { diningChair, loungeChair, sofa } from '../furniture/seating.js';
import { diningTable, slabTable } from '../furniture/tables.js';
import { cladding, cloth, decking, lawn, paving, plain, plaster, timber } from '../materials/library.js';
import { assembly, ball, box } from '../shapes.js';
import { outdoors } from './villa.js';

/** Grasses along the wall, clipped balls in clay pots. */
function flowerBeds(stage) {
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
}

/** An olive, a shade tree, palms; more trees beyond the wall. */
function trees(stage) {
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
  trees(stage);
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
  flowerBeds(stage);
  return { ...stage.look({ from, to, degrees, ...looks }), grade: { key: 0.4, ...grade } };
}
