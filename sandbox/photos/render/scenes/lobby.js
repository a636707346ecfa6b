import { fluted, interior } from '../architecture/interior.js';
import { art, rug, vase } from '../furniture/decor.js';
import { floorLamp, ledStrip, ringChandelier, tableLamp } from '../furniture/lamps.js';
import { pot, pottedTree } from '../furniture/plants.js';
import { armchair, sofa } from '../furniture/seating.js';
import { slabTable } from '../furniture/tables.js';
import { brass, cloth, plain, plaster, stone, timber } from '../materials/library.js';
import { assembly, box, ring } from '../shapes.js';

/** Seats on a rug, plants, art. */
function waitingArea(stage, min) {
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
}

/** The reception desk with light at its base. */
function reception(stage) {
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
  reception(stage);
  stage.add(ringChandelier(stage, { at: [0, 2.9, -1.4], ceiling: height, radii: [1.3, 0.95, 0.6], candela: 22 }));
  waitingArea(stage, min);
  return {
    ...stage.look({ from: [1.1, 1.5, 4], to: [-0.3, 1.9, -4], degrees: 74 }),
    grade: { key: 0.38, ...grade },
  };
}
