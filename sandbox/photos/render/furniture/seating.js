// Sofas, armchairs, dining chairs, stools, ottomans, benches.
import { blackMetal, brass, cloth, leather, timber } from '../materials/library.js';
import { assembly, box, cushion, cylinder, tilted, tube } from '../shapes.js';

const legs = (material, w, d, height, radius = 0.018) =>
  [-1, 1].flatMap(sx =>
    [-1, 1].map(sz => cylinder(material, radius, height, [(sx * w) / 2, 0, (sz * d) / 2], { sides: 12 })),
  );

/** A throw cushion leaning back at `x` on a seat. */
const throwCushion = (material, x, y, z, size = 0.48, turn = 0) =>
  tilted(cushion(material, [size, size, 0.13], [x, y, z], 0.9), { x: -0.32, y: turn });

/** A sofa facing +z; `width` in metres, `seats` cushions, `accents` a list of fabrics. */
export function sofa({
  width = 2.6,
  seats = 3,
  depth = 0.98,
  fabric = cloth(),
  accents = [],
  at,
  turn,
  arm = 0.2,
  foot = blackMetal(),
}) {
  const inner = width - 2 * arm;
  const seat = inner / seats;
  const parts = [
    box(fabric, [width - 0.04, 0.2, depth - 0.04], [0, 0.12, 0], 0.04),
    box(fabric, [arm, 0.46, depth], [-(width - arm) / 2, 0.12, 0], 0.07),
    box(fabric, [arm, 0.46, depth], [(width - arm) / 2, 0.12, 0], 0.07),
    box(fabric, [width - 0.02, 0.62, 0.2], [0, 0.12, -(depth - 0.2) / 2], 0.07),
    ...legs(foot, width - 0.2, depth - 0.2, 0.13),
  ];
  for (let i = 0; i < seats; i++) {
    const x = -inner / 2 + seat * (i + 0.5);
    parts.push(cushion(fabric, [seat - 0.01, 0.19, depth - 0.24], [x, 0.31, 0.1], 0.16));
    parts.push(tilted(cushion(fabric, [seat - 0.03, 0.44, 0.2], [x, 0.45, -depth / 2 + 0.33], 0.3), { x: -0.2 }));
  }
  accents.forEach((material, i) => {
    const side = i % 2 ? 1 : -1;
    const x = side * (inner / 2 - 0.25 - Math.floor(i / 2) * 0.36);
    parts.push(
      throwCushion(
        material,
        x,
        0.47,
        -depth / 2 + 0.53 + Math.floor(i / 2) * 0.06,
        0.46 - Math.floor(i / 2) * 0.06,
        side * 0.12,
      ),
    );
  });
  return assembly(parts, at, turn);
}

/** A sofa with a chaise at one end (`side` 1: the sofa's left). */
export function cornerSofa({ width = 3.2, chaise = 1.7, fabric = cloth(), accents = [], side = 1, at, turn }) {
  const long = box(fabric, [0.98, 0.2, chaise], [(side * (width - 0.98)) / 2, 0.12, chaise / 2 - 0.49], 0.04);
  const top = cushion(
    fabric,
    [0.76, 0.19, chaise - 0.24],
    [(side * (width - 1.2)) / 2, 0.315, chaise / 2 - 0.37],
    0.14,
  );
  return assembly([sofa({ width, fabric, accents, seats: 3 }), long, top], at, turn);
}

/** A tub armchair with a curved back. */
export function armchair({ fabric = cloth('#8a8f86'), at, turn, foot = brass() }) {
  const shell = [];
  for (let i = 0; i <= 12; i++) {
    const angle = Math.PI * (1.08 - (i / 12) * 1.16);
    shell.push(
      tilted(box(fabric, [0.17, 0.42, 0.13], [Math.cos(angle) * 0.34, 0.3, -Math.sin(angle) * 0.33 + 0.03], 0.055), {
        y: angle - Math.PI / 2,
      }),
    );
  }
  return assembly(
    [
      ...shell,
      cushion(fabric, [0.62, 0.22, 0.64], [0, 0.24, 0.06], 0.2),
      ...legs(foot, 0.46, 0.44, 0.26, 0.014),
      throwCushion(fabric, 0, 0.42, -0.1, 0.4),
    ],
    at,
    turn,
  );
}

/** A lounge chair with a timber frame and loose cushions. */
export function loungeChair({ fabric = cloth('#e6e0d5'), wood = timber('walnut'), at, turn }) {
  const side = s => [
    tube(
      wood,
      [
        [s * 0.36, 0, 0.36],
        [s * 0.36, 0.3, 0.34],
        [s * 0.36, 0.56, 0.26],
        [s * 0.36, 0.58, 0],
        [s * 0.36, 0.56, -0.34],
      ],
      0.022,
    ),
    tube(
      wood,
      [
        [s * 0.36, 0, -0.42],
        [s * 0.36, 0.3, -0.36],
        [s * 0.36, 0.56, -0.34],
      ],
      0.022,
    ),
  ];
  return assembly(
    [
      side(-1),
      side(1),
      box(wood, [0.7, 0.04, 0.66], [0, 0.28, 0], 0.015),
      tilted(cushion(fabric, [0.64, 0.15, 0.66], [0, 0.31, 0.02], 0.2), { x: 0.08 }),
      tilted(cushion(fabric, [0.64, 0.56, 0.15], [0, 0.4, -0.36], 0.3), { x: -0.3 }),
    ],
    at,
    turn,
  );
}

/** An upholstered dining chair facing +z. */
export function diningChair({ fabric = cloth('#cfc8bb'), foot = blackMetal(), at, turn }) {
  const back = [];
  for (let i = 0; i <= 6; i++) {
    const x = (i / 6 - 0.5) * 0.42;
    back.push(tilted(box(fabric, [0.1, 0.44, 0.07], [x, 0.44, -0.22 + 0.5 * x * x], 0.03), { x: -0.13, y: -x * 0.9 }));
  }
  return assembly(
    [
      cushion(fabric, [0.48, 0.1, 0.48], [0, 0.41, 0], 0.25),
      box(fabric, [0.44, 0.06, 0.44], [0, 0.37, 0], 0.02),
      back,
      ...legs(foot, 0.38, 0.38, 0.4, 0.013),
    ],
    at,
    turn,
  );
}

/** A counter stool, seat at 0.66 m. */
export function stool({ fabric = leather('#b08a64'), foot = blackMetal(), at, turn }) {
  const rest = [0, 1, 2, 3, 4].map(i => {
    const x = (i / 4 - 0.5) * 0.34;
    return tilted(box(fabric, [0.1, 0.2, 0.04], [x, 0.76, -0.19 + 0.9 * x * x], 0.018), { y: -x * 1.4 });
  });
  const rail = tube(
    foot,
    [
      [-0.17, 0.24, 0.17],
      [0, 0.24, 0.18],
      [0.17, 0.24, 0.17],
    ],
    0.008,
  );
  return assembly(
    [
      cushion(fabric, [0.42, 0.09, 0.4], [0, 0.64, 0], 0.2),
      rest,
      rail,
      box(foot, [0.3, 0.02, 0.02], [0, 0.7, -0.19]),
      ...legs(foot, 0.34, 0.34, 0.65, 0.011),
    ],
    at,
    turn,
  );
}

/** A bench or pouf without a back. */
export const ottoman = ({ size = [1.2, 0.42, 0.5], fabric = cloth('#b9a78e'), foot = brass(), at, turn }) =>
  assembly(
    [
      cushion(fabric, [size[0], size[1] - 0.14, size[2]], [0, 0.14, 0], 0.14),
      ...legs(foot, size[0] - 0.2, size[2] - 0.14, 0.16, 0.014),
    ],
    at,
    turn,
  );

/** A pool lounger facing +z, its back raised. */
export function lounger({ fabric = cloth('#f2eee6'), wood = timber('teak'), towel, at, turn }) {
  return assembly(
    [
      box(wood, [0.7, 0.06, 2], [0, 0.22, 0], 0.02),
      ...legs(wood, 0.6, 1.8, 0.24, 0.03),
      cushion(fabric, [0.66, 0.11, 1.3], [0, 0.28, 0.33], 0.1),
      tilted(cushion(fabric, [0.66, 0.8, 0.11], [0, 0.31, -0.33], 0.1), { x: -0.9 }),
      towel && box(towel, [0.4, 0.1, 0.3], [0, 0.39, 0.7], 0.045),
    ],
    at,
    turn,
  );
}
