// Bathrooms: a freestanding tub by the window, a stone wall, a double vanity under a lit mirror.
import { LatheGeometry, MeshStandardMaterial, PlaneGeometry, Vector2, Vector3 } from 'three';
import { interior } from '../architecture/interior.js';
import { tray, vase } from '../furniture/decor.js';
import { ledStrip, pendant } from '../furniture/lamps.js';
import { pottedTree } from '../furniture/plants.js';
import { Mirror, reflectIn } from '../light/mirror.js';
import { blackMetal, brass, carpet, cloth, glass, metal, plain, stone, timber } from '../materials/library.js';
import { assembly, box, cylinder, metricUv, solid, tube, turned } from '../shapes.js';

/** An oval tub `length` metres long, its long side along x. */
function tub({ length = 1.75, at, turn }) {
  const profile = [
    [0, 0.01],
    [0.66, 0.01],
    [0.74, 0.04],
    [0.82, 0.14],
    [0.9, 0.32],
    [1, 0.57],
    [0.985, 0.59],
    [0.95, 0.57],
    [0.84, 0.3],
    [0.7, 0.14],
    [0, 0.12],
  ];
  const shell = new LatheGeometry(
    profile.map(([x, y]) => new Vector2(x, y)),
    72,
  );
  shell.scale(length / 2, 1, 0.42);
  shell.computeVertexNormals();
  const water = cylinder(
    plain('#cfe3e4', { roughness: 0.02, transparent: true, opacity: 0.5 }),
    0.9,
    0.004,
    [0, 0.42, 0],
    { sides: 64 },
  );
  water.scale.set((length / 2) * 0.98, 1, 0.42 * 0.98);
  return assembly([solid(metricUv(shell), plain('#f6f4f0', { roughness: 0.12, side: 2 })), water], at, turn);
}

const floorTap = ({ at, turn, finish }) =>
  assembly(
    [
      cylinder(finish, 0.016, 0.95, [0, 0, 0], { sides: 16 }),
      cylinder(finish, 0.05, 0.01, [0, 0, 0]),
      tube(
        finish,
        [
          [0, 0.93, 0],
          [0, 1.0, 0.03],
          [0, 1.0, 0.12],
          [0, 0.99, 0.22],
          [0, 0.93, 0.24],
        ],
        0.014,
      ),
      tube(
        finish,
        [
          [0.05, 0.85, 0],
          [0.09, 0.86, 0.02],
        ],
        0.009,
      ),
    ],
    at,
    turn,
  );

const basin = (at, finish) =>
  assembly(
    [
      turned(
        plain('#f7f5f2', { roughness: 0.14, side: 2 }),
        [
          [0, 0],
          [0.12, 0],
          [0.19, 0.05],
          [0.215, 0.13],
          [0.205, 0.13],
          [0.17, 0.06],
          [0, 0.03],
        ],
        [0, 0, 0],
      ),
      tube(
        finish,
        [
          [0, 0.0, -0.26],
          [0, 0.22, -0.26],
          [0, 0.25, -0.2],
          [0, 0.22, -0.12],
        ],
        0.012,
      ),
    ],
    at,
  );

const towels = (at, colors) =>
  assembly(
    colors.map((c, i) => box(cloth(c), [0.36, 0.07, 0.26], [0, i * 0.072, 0], 0.03)),
    at,
  );

const STYLES = {
  light: {
    wall: 'statuario',
    floor: 'grey',
    vanity: 'oak',
    finish: () => brass(),
    towels: ['#e9e3d8', '#d5c7b2', '#efeae2'],
  },
  warm: {
    wall: 'crema',
    floor: 'crema',
    vanity: 'walnut',
    finish: () => blackMetal(),
    towels: ['#f1ede6', '#b8a58b', '#f1ede6'],
  },
};

/** A walk-in shower behind one sheet of glass. */
function shower(stage, finish) {
  const shower = solid(new PlaneGeometry(1.9, 2.3).rotateY(Math.PI / 2), glass({ opacity: 0.14 }), [1.5, 1.15, 1.6]);
  stage.add(
    shower,
    box(finish, [0.03, 0.03, 1.9], [1.5, 2.3, 1.6]),
    tube(
      finish,
      [
        [2.58, 2.15, 1.6],
        [2.3, 2.2, 1.6],
        [2.05, 2.2, 1.6],
      ],
      0.012,
    ),
    cylinder(finish, 0.15, 0.015, [2.05, 2.16, 1.6]),
    cylinder(metal('#c7c4be', 0.3), 0.05, 0.012, [2.05, 0.0, 1.6]),
  );
}

/** The mirror over the vanity, lit along its edges. */
function lookingGlass(stage, { min, lamps }) {
  const mirror = new Mirror({
    point: new Vector3(min[0] + 0.05, 1.6, 0.55),
    normal: new Vector3(1, 0, 0),
    scale: 0.6,
  });
  const silver = reflectIn(new MeshStandardMaterial({ color: '#f4f6f5', metalness: 1, roughness: 0.03 }), mirror);
  const looking = solid(new PlaneGeometry(2.2, 1.15).rotateY(Math.PI / 2), silver, [min[0] + 0.05, 1.72, 0.55]);
  mirror.hides.push(looking);
  stage.mirrors.push(mirror);
  stage.add(looking, box(blackMetal(), [0.03, 1.19, 2.24], [min[0] + 0.025, 1.125, 0.55]));
  for (const y of [1.115, 2.325])
    stage.add(
      ledStrip(stage, {
        from: [min[0] + 0.03, y, -0.55],
        to: [min[0] + 0.03, y, 1.65],
        normal: [0.5, y > 2 ? 1 : -1, 0],
        radiance: 14 * lamps,
      }),
    );
}

/** The double vanity with its objects. */
function vanity(stage, s, { min, finish, room }) {
  const x = min[0] + 0.28;
  stage.add(
    box(timber(s.vanity), [0.52, 0.42, 2.3], [x, 0.42, 0.55], 0.006),
    [-0.57, 0.01, 0.58].map(z => box(plain('#1f1c1a'), [0.004, 0.4, 0.006], [x + 0.262, 0.43, z + 0.55])),
    box(stone(s.wall, { slabs: 0 }), [0.56, 0.03, 2.34], [x, 0.84, 0.55], 0.004),
  );
  stage.add([-0.02, 1.12].map(z => assembly([basin([0, 0, 0], finish)], [x, 0.87, z], Math.PI / 2)));
  lookingGlass(stage, { min, lamps: room.lamps });
  stage.add(
    towels([x + 0.02, 0.87, 0.52], s.towels.slice(0, 2)),
    tray({ at: [x, 0.87, 1.52], turn: 1.57 }),
    vase({ at: [x - 0.05, 0.87, -0.42], height: 0.2, stems: 7 }),
  );
}

export function bathroom(
  stage,
  {
    style = 'light',
    time = 'day',
    view = 'garden',
    storey,
    from = [2.15, 1.45, 2.5],
    to = [-0.75, 0.98, -1.5],
    degrees = 72,
    grade,
    ...looks
  },
) {
  const s = STYLES[style];
  const [min, max, height] = [[-2.5, -2.5], [2.6, 2.9], 2.9];
  const wallStone = stone(s.wall, { roughness: 0.2, tile: 2.8, slabs: 2 });
  const room = interior(stage, {
    min,
    max,
    height,
    time,
    view,
    storey,
    floor: stone(s.floor, { roughness: 0.12, tile: 2.4, slabs: 2 }),
    gloss: 0.01,
    azimuth: 2.7,
    elevation: 0.55,
    drapery: '#efeae1',
    sheer: true,
    windows: [{ side: 'back', from: -1.9, to: 1.5, head: 2.6, panes: 2 }],
    finishes: { left: wallStone, right: wallStone },
    spots: [
      [-1.6, -1],
      [-1.6, 1],
      [1.2, -1],
      [1.2, 1.2],
    ],
  });
  const finish = s.finish();
  stage.add(tub({ at: [0.15, 0, -1.35], turn: 0 }), floorTap({ at: [0.2, 0, -2.0], turn: 0, finish }));
  vanity(stage, s, { min, finish, room });
  stage.add(
    cylinder(timber('oak'), 0.17, 0.45, [1.25, 0, -0.75]),
    towels([1.25, 0.45, -0.75], s.towels),
    box(carpet('#efeae1', '#e2dacd', 0.3), [0.9, 0.02, 0.55], [0.1, 0, -0.45], 0.008),
  );
  stage.add(
    pottedTree({ at: [-1.95, 0, -1.95], height: 1.7, count: 70 }),
    pendant(stage, {
      at: [1.9, 1.9, -1.9],
      ceiling: height,
      kind: 'globe',
      candela: 3 * room.lamps,
      size: 0.1,
    }),
  );
  shower(stage, finish);
  return { ...stage.look({ from, to, degrees, ...looks }), grade: { key: 0.52, ...grade } };
}
