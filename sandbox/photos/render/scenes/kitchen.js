// Kitchens: tall units, a worktop under lit shelves, an island with stools and pendants, a window on one side.
import { fluted, interior } from '../architecture/interior.js';
import { books, fruitBowl, vase } from '../furniture/decor.js';
import { ledStrip, pendant } from '../furniture/lamps.js';
import { stool } from '../furniture/seating.js';
import { blackMetal, brass, cloth, floorboards, leather, metal, plain, stone, timber } from '../materials/library.js';
import { assembly, box, cylinder, tube, turned } from '../shapes.js';

const STYLES = {
  light: {
    fronts: () => plain('#e8e3d9', { roughness: 0.45 }),
    tall: () => timber('oak'),
    top: 'calacatta',
    island: () => timber('oak'),
    floor: () => floorboards('paleOak'),
    shade: 'dome',
    seat: () => cloth('#cdbfa9'),
  },
  dark: {
    fronts: () => plain('#3b3f42', { roughness: 0.5 }),
    tall: () => timber('walnut'),
    top: 'nero',
    island: () => stone('nero', { slabs: 0 }),
    floor: () => stone('crema', { roughness: 0.18 }),
    shade: 'globe',
    seat: () => leather('#a06f48'),
  },
};

function tap(at) {
  return assembly(
    [
      tube(
        brass(),
        [
          [0, 0, 0],
          [0, 0.32, 0],
          [0, 0.42, 0.06],
          [0, 0.38, 0.17],
          [0, 0.32, 0.19],
        ],
        0.013,
      ),
      cylinder(brass(), 0.022, 0.03, [0, 0, 0]),
      tube(
        brass(),
        [
          [0.02, 0.09, 0],
          [0.08, 0.12, 0],
        ],
        0.007,
      ),
    ],
    at,
  );
}

function tallUnits(x, z, count, material) {
  return Array.from({ length: count }, (_, i) => [
    box(material, [0.597, 2.5, 0.62], [x + i * 0.6, 0.1, z], 0.004),
    box(blackMetal(), [0.016, 0.5, 0.02], [x + i * 0.6 + (i % 2 ? -0.26 : 0.26), 1.05, z + 0.325]),
  ]);
}

const oven = at =>
  assembly(
    [
      box(plain('#111214', { roughness: 0.12 }), [0.56, 0.58, 0.02], [0, 0, 0], 0.006),
      box(metal('#bdbbb6', 0.3), [0.46, 0.018, 0.03], [0, 0.49, 0.03]),
      box(plain('#1d2024', { roughness: 0.1 }), [0.56, 0.36, 0.02], [0, 0.61, 0], 0.006),
    ],
    at,
  );

/** The island: stone over timber, with stools and pendants. */
function island(stage, s, { height, lamps }) {
  const [w, d] = [2.9, 1.1];
  stage.add(
    box(s.island(), [w - 0.1, 0.86, d - 0.36], [-0.4, 0.02, 0.1], 0.004),
    box(stone(s.top, { slabs: 0 }), [w, 0.05, d], [-0.4, 0.88, 0.22], 0.008),
    [-1, 1].map(k => box(stone(s.top, { slabs: 0 }), [0.05, 0.88, d], [-0.4 + (k * (w - 0.05)) / 2, 0, 0.22])),
  );
  stage.add(fluted({ from: -1.8, to: 1, z: 0.48, height: 0.86, material: s.tall(), count: 40 }));
  for (const x of [-1.25, -0.4, 0.45])
    stage.add(stool({ at: [x, 0, 0.98], turn: Math.PI + (x + 0.4) * 0.12, fabric: s.seat() }));
  for (const x of [-1.3, -0.4, 0.5])
    stage.add(
      pendant(stage, {
        at: [x, 1.72, 0.22],
        ceiling: height,
        kind: s.shade,
        candela: 7 * lamps,
        size: s.shade === 'dome' ? 0.19 : 0.12,
        finish: s.shade === 'dome' ? brass() : blackMetal(),
      }),
    );
  stage.add(
    fruitBowl({ at: [-0.95, 0.93, 0.2] }),
    vase({ at: [0.35, 0.93, 0.1], height: 0.28, stems: 11, seed: 5 }),
    books([-0.15, 0.93, 0.35], 0.4),
  );
}

/** The wall of cabinets with worktop, oven and lit shelf. */
function cabinets(stage, s, { style, min, room }) {
  const z = min[1] + 0.33;
  const fronts = s.fronts();
  stage.add(
    tallUnits(1.55, z, 4, s.tall()),
    oven([2.15, 0.75, z + 0.33]),
    box(plain('#f1eee8'), [2.45, 0.25, 0.62], [2.45, 2.6, z]),
    box(plain('#f1eee8'), [5.2, 0.25, 0.62], [-1.35, 2.6, z]),
  );
  for (let i = 0; i < 8; i++) stage.add(box(fronts, [0.636, 0.76, 0.6], [-3.55 + i * 0.64, 0.1, z], 0.004));
  stage.add(
    box(stone(s.top), [5.13, 0.04, 0.66], [-1.3, 0.88, z + 0.01], 0.006),
    box(stone(s.top), [5.13, 0.62, 0.03], [-1.3, 0.92, min[1] + 0.02]),
    box(plain('#2a2826'), [7.6, 0.1, 0.5], [0, 0, z]),
  );
  for (let i = 0; i < 6; i++)
    stage.add(box(fronts, [0.85, 0.85, 0.36], [-3.43 + i * 0.855, 1.75, min[1] + 0.19], 0.004));
  stage.add(box(timber(style === 'dark' ? 'walnut' : 'oak'), [5.13, 0.03, 0.3], [-1.3, 1.54, min[1] + 0.16]));
  stage.add(
    ledStrip(stage, {
      from: [-3.8, 1.73, min[1] + 0.3],
      to: [1.2, 1.73, min[1] + 0.3],
      normal: [0, -1, -0.1],
      radiance: 16 * room.lamps,
    }),
  );
  stage.add(
    vase({ at: [-3.2, 1.57, z - 0.1], height: 0.13, stems: 0, seed: 2 }),
    vase({ at: [-2.9, 0.92, z], height: 0.22, stems: 8 }),
    cylinder(plain('#ddd5c8'), 0.05, 0.14, [-0.2, 0.92, z]),
    cylinder(timber('oak'), 0.012, 0.3, [-0.2, 0.95, z]),
    box(timber('walnut'), [0.34, 0.46, 0.025], [0.45, 0.92, min[1] + 0.08], 0.01),
    box(plain('#101113', { roughness: 0.1 }), [0.78, 0.008, 0.5], [-1.3, 0.92, z]),
  );
  stage.add(
    turned(
      metal('#cfcac2', 0.25),
      [
        [0, 0],
        [0.06, 0],
        [0.075, 0.02],
        [0.05, 0.12],
        [0.02, 0.14],
        [0, 0.14],
      ],
      [-1.6, 0.92, z],
    ),
  );
  stage.add(tap([-2.3, 0.92, z - 0.2]));
}

export function kitchen(
  stage,
  {
    style = 'light',
    time = 'day',
    view = 'garden',
    storey,
    from = [2.9, 1.5, 3.7],
    to = [-0.7, 1.08, -1.4],
    degrees = 70,
    grade,
    ...looks
  },
) {
  const s = STYLES[style];
  const [min, max, height] = [[-3.9, -3.1], [3.9, 4], 2.95];
  const room = interior(stage, {
    min,
    max,
    height,
    time,
    view,
    storey,
    floor: s.floor(),
    gloss: style === 'dark' ? 0.014 : 0,
    azimuth: -1.9,
    elevation: 0.6,
    windows: [{ side: 'left', from: -1.7, to: 3.3, head: 2.65, panes: 3, bare: style === 'dark' }],
    spots: [
      [-2, -2],
      [-0.7, -2],
      [0.7, -2],
      [2, -2],
      [3.2, 0.5],
    ],
  });
  cabinets(stage, s, { style, min, room });
  island(stage, s, { height, lamps: room.lamps });
  return {
    ...stage.look({ from, to, degrees, ...looks }),
    grade: { key: time === 'night' || time === 'dusk' ? 0.3 : 0.52, ...grade },
  };
}
