// A gym: treadmills facing the garden, a mirror wall, free weights.
import { MeshStandardMaterial, PlaneGeometry, Vector3 } from 'three';
import { interior } from '../architecture/interior.js';
import { ledStrip } from '../furniture/lamps.js';
import { pottedPalm } from '../furniture/palms.js';
import { pot, tuft } from '../furniture/plants.js';
import { Mirror, reflectIn } from '../light/mirror.js';
import { floorboards, leather, metal, plain, timber } from '../materials/library.js';
import { assembly, ball, box, cylinder, solid, tilted } from '../shapes.js';

/** A treadmill facing -z. */
const treadmill = (at, turn) =>
  assembly(
    [
      box(plain('#1d1e20', { roughness: 0.5 }), [0.8, 0.18, 1.9], [0, 0.03, 0], 0.05),
      box(plain('#0e0f10', { roughness: 0.8 }), [0.52, 0.02, 1.7], [0, 0.205, 0.05]),
      [-0.36, 0.36].map(x =>
        tilted(box(metal('#9a9a98', 0.35), [0.07, 1.2, 0.09], [x, 0.15, -0.75], 0.02), { x: -0.12 }),
      ),
      [-0.36, 0.36].map(x => box(plain('#1d1e20'), [0.05, 0.05, 0.7], [x, 0.95, -0.5], 0.02)),
      tilted(box(plain('#101214', { roughness: 0.15 }), [0.7, 0.42, 0.06], [0, 1.22, -0.88], 0.03), {
        x: -0.3,
      }),
    ],
    at,
    turn,
  );
const dumbbell = (x, y, z, r) => [
  box(metal('#b5b3ae', 0.3), [0.03, 0.03, 0.16], [x, y, z]),
  [-1, 1].map(s => {
    const head = cylinder(plain('#17181a', { roughness: 0.5 }), r, 0.08, [x, y + 0.015, z + s * 0.08 - 0.04], {
      sides: 6,
    });
    head.rotation.x = Math.PI / 2;
    return head;
  }),
];

/** A rack of dumbbells, a bench, mats and balls. */
function weights(stage, max) {
  const rack = [0.35, 0.75, 1.1].map((y, r) => [
    tilted(box(plain('#2a2b2d', { roughness: 0.5 }), [2.2, 0.04, 0.34], [0, y, 0]), { x: 0.2 }),
    Array.from({ length: 9 }, (_, i) => dumbbell(-0.95 + i * 0.24, y + 0.09, 0, 0.09 - r * 0.014)),
  ]);
  stage.add(
    assembly(
      [rack, [-1.1, 1.1].map(x => box(plain('#2a2b2d', { roughness: 0.5 }), [0.06, 1.2, 0.3], [x, 0, 0]))],
      [max[0] - 0.35, 0, 1.4],
      -Math.PI / 2,
    ),
  );
  stage.add(
    assembly(
      [
        box(leather('#2b2b2d'), [0.34, 0.09, 1.2], [0, 0.4, 0], 0.04),
        [-0.45, 0.45].map(z => box(plain('#8d8d8b', { roughness: 0.4 }), [0.4, 0.4, 0.08], [0, 0, z], 0.02)),
      ],
      [1.5, 0, 1.2],
      0.5,
    ),
  );
  stage.add(
    [
      ['#7fa0a0', -1.9],
      ['#b98f73', -0.7],
    ].map(([c, x]) => box(plain(c, { roughness: 0.9 }), [0.62, 0.012, 1.8], [x, 0, 1.7], 0.005)),
    ball(plain('#8fa89f', { roughness: 0.5 }), 0.33, [-3.5, 0.33, 2.6]),
    ball(plain('#2d2f31', { roughness: 0.7 }), 0.14, [0.1, 0.14, 2.3]),
  );
}

function mirrorWall(stage, min) {
  const mirror = new Mirror({
    point: new Vector3(min[0] + 0.03, 1.4, 0),
    normal: new Vector3(1, 0, 0),
    scale: 0.6,
  });
  const silver = solid(
    new PlaneGeometry(5.6, 2.5).rotateY(Math.PI / 2),
    reflectIn(new MeshStandardMaterial({ color: '#eef1f0', metalness: 1, roughness: 0.03 }), mirror),
    [min[0] + 0.03, 1.4, 0.3],
  );
  mirror.hides.push(silver);
  stage.mirrors.push(mirror);
  stage.add(silver);
}

export function gym(stage, { time = 'morning', grade }) {
  const [min, max, height] = [[-4.4, -3], [4.2, 3.7], 3.1];
  interior(stage, {
    min,
    max,
    height,
    time,
    view: 'garden',
    floor: floorboards('ash'),
    gloss: 0.02,
    paint: '#d9d6d0',
    ceiling: 'flat',
    drapery: null,
    azimuth: 2.3,
    elevation: 0.5,
    windows: [{ side: 'back', from: -4, to: 3.8, head: 2.8, panes: 5, bare: true }],
    finishes: { right: timber('oak') },
    spots: [
      [-2, 0],
      [0, 0],
      [2, 0],
      [-2, 2.4],
      [2, 2.4],
    ],
  });
  mirrorWall(stage, min);
  stage.add([-1.9, -0.5, 0.9].map(x => treadmill([x, 0, -1.6], 0)));
  weights(stage, max);
  stage.add(
    ledStrip(stage, {
      from: [-3.6, 3.08, -1],
      to: [3.6, 3.08, -1],
      normal: [0, -1, 0],
      radiance: 9,
      width: 0.06,
    }),
    ledStrip(stage, {
      from: [-3.6, 3.08, 1.6],
      to: [3.6, 3.08, 1.6],
      normal: [0, -1, 0],
      radiance: 9,
      width: 0.06,
    }),
    pottedPalm({ at: [3.6, 0, -2.4], height: 2 }),
    tuft({ at: [-3.95, 0, -2.5], base: 0.34, pot: pot(), height: 1, count: 20, width: 0.1, spread: 0.3 }),
  );
  return {
    ...stage.look({ from: [3.4, 1.5, 3.4], to: [-1.3, 1.05, -1.6], degrees: 74 }),
    grade: { key: 0.5, ...grade },
  };
}
