import { interior } from '../architecture/interior.js';
import { art, books, rug, vase } from '../furniture/decor.js';
import { tableLamp } from '../furniture/lamps.js';
import { pot, pottedTree } from '../furniture/plants.js';
import { armchair } from '../furniture/seating.js';
import { shelving } from '../furniture/tables.js';
import { brass, cloth, leather, metal, parquet, plain, plaster, stone, timber } from '../materials/library.js';
import { assembly, box, cushion, cylinder, tilted, tube } from '../shapes.js';

/** A swivel chair on five castors. */
function deskChair({ fabric = leather('#7a5236'), at, turn }) {
  const feet = [0, 1, 2, 3, 4].map(i =>
    tilted(
      box(metal('#8d8b87', 0.3), [0.03, 0.03, 0.3], [Math.sin(i * 1.257) * 0.15, 0.05, Math.cos(i * 1.257) * 0.15]),
      { y: i * 1.257 },
    ),
  );
  const back = [0, 1, 2, 3, 4].map(i =>
    tilted(box(fabric, [0.12, 0.6, 0.07], [(i - 2) * 0.105, 0.56, -0.23 + Math.abs(i - 2) ** 2 * 0.012], 0.03), {
      x: -0.16,
      y: -(i - 2) * 0.12,
    }),
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

/** The desk with its chairs and objects. */
function desk(stage, room) {
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
  desk(stage, room);
  stage.add(
    pottedTree({ at: [2.5, 0, -2.05], height: 2.1, count: 100, pot: pot(plain('#3d3a37')) }),
    art({ at: [2.98, 1.2, 0.6], turn: -Math.PI / 2, width: 1.2, height: 1.5, palette: 'ink', seed: 4 }),
  );
  return {
    ...stage.look({ from: [2.35, 1.45, 2.8], to: [-0.85, 1.02, -1], degrees: 74 }),
    grade: { key: 0.48, ...grade },
  };
}
