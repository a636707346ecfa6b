// Lamps: each returns its body and adds its light source to the stage (off when its candela is 0).
import { DoubleSide, Vector3 } from 'three';
import { areaSource, beamSource, globeSource } from '../light/sources.js';
import { blackMetal, brass, cloth, glowing, leafy, plain } from '../materials/library.js';
import { assembly, ball, box, cylinder, ring, tube, turned } from '../shapes.js';

const WARM = '#ffe6cb';
const shadeMaterial = lit => leafy('#efe6d6', { emissive: '#ffdcb0', emissiveIntensity: lit ? 1.6 : 0.1 });

function shade(radius, height, y, lit) {
  const mesh = turned(
    shadeMaterial(lit),
    [
      [radius, 0],
      [radius * 0.82, height],
    ],
    [0, y, 0],
  );
  mesh.castShadow = false;
  return mesh;
}

const bulb = (stage, [x, y, z], candela) =>
  candela > 0 && stage.light(globeSource({ position: new Vector3(x, y, z), color: WARM, candela })) && undefined;

export function floorLamp(stage, { at, candela = 3, height = 1.6, foot = brass() }) {
  bulb(stage, [at[0], at[1] + height - 0.12, at[2]], candela);
  return assembly(
    [
      cylinder(foot, 0.15, 0.02, [0, 0, 0]),
      cylinder(foot, 0.011, height - 0.2, [0, 0, 0], { sides: 12 }),
      shade(0.22, 0.28, height - 0.28, candela > 0),
    ],
    at,
  );
}

/** An arc lamp over a seat. */
export function arcLamp(stage, { at, turn = 0, candela = 3, reach = 1.5, height = 2.05 }) {
  const head = [at[0] + Math.cos(turn) * reach, at[1] + height - 0.32, at[2] - Math.sin(turn) * reach];
  bulb(stage, head, candela);
  const arc = tube(
    blackMetal(),
    [
      [0, 0, 0],
      [0.02, height * 0.7, 0],
      [reach * 0.35, height * 1.02, 0],
      [reach * 0.8, height * 0.98, 0],
      [reach, height - 0.2, 0],
    ],
    0.013,
  );
  const dome = turned(
    plain('#222223', { roughness: 0.35, side: DoubleSide }),
    [
      [0.19, 0],
      [0.16, 0.09],
      [0.06, 0.15],
      [0, 0.16],
    ],
    [reach, height - 0.36, 0],
  );
  return assembly(
    [
      box(blackMetal(), [0.3, 0.05, 0.3], [0, 0, 0], 0.02),
      arc,
      dome,
      ball(glowing(WARM, candela > 0 ? 6 : 0.4), 0.05, [reach, height - 0.32, 0], 16),
    ],
    at,
    turn,
  );
}

export function tableLamp(stage, { at, candela = 2, height = 0.56, base = plain('#c8b9a2', { roughness: 0.5 }) }) {
  bulb(stage, [at[0], at[1] + height - 0.1, at[2]], candela);
  return assembly(
    [
      turned(
        base,
        [
          [0, 0],
          [0.08, 0],
          [0.11, height * 0.2],
          [0.05, height * 0.42],
          [0.02, height * 0.52],
          [0.012, height * 0.7],
          [0, height * 0.7],
        ],
        [0, 0, 0],
      ),
      shade(0.17, 0.22, height - 0.22, candela > 0),
    ],
    at,
  );
}

/** A pendant of one of three kinds: 'globe', 'dome', 'cone', hanging from `ceiling` to `at`. */
export function pendant(stage, { at, ceiling, kind = 'globe', candela = 3, size = 0.16, finish = brass() }) {
  const [x, y, z] = at;
  const lit = candela > 0;
  const cord = cylinder(blackMetal(), 0.004, ceiling - y - size, [0, size, 0], { sides: 6 });
  if (kind === 'globe') {
    bulb(stage, at, candela);
    return assembly(
      [
        cord,
        ball(glowing('#ffe3bf', lit ? 3.2 : 0.9), size, [0, 0, 0]),
        cylinder(finish, size * 0.3, size * 0.35, [0, size * 0.9, 0]),
      ],
      at,
    );
  }
  if (lit)
    stage.light(
      beamSource({
        position: new Vector3(x, y, z),
        target: new Vector3(x, 0, z),
        color: WARM,
        candela: candela * 2,
        angle: 1.0,
      }),
    );
  const profile =
    kind === 'dome'
      ? [
          [size, 0],
          [size * 0.95, size * 0.35],
          [size * 0.6, size * 0.8],
          [size * 0.15, size],
        ]
      : [
          [size, 0],
          [size * 0.25, size * 0.9],
          [size * 0.2, size * 1.4],
        ];
  const open = finish.clone();
  open.side = DoubleSide;
  return assembly(
    [
      cord,
      turned(open, profile, [0, 0, 0]),
      cylinder(glowing(WARM, lit ? 7 : 0.6), size * 0.55, 0.01, [0, size * 0.12, 0]),
    ],
    at,
  );
}

/** Rings of light hanging at different heights. */
export function ringChandelier(stage, { at, ceiling, radii = [0.55, 0.38], candela = 5, finish = brass() }) {
  const parts = radii.flatMap((r, i) => {
    const y = i * 0.32;
    if (candela > 0) bulb(stage, [at[0], at[1] + y, at[2]], candela / radii.length);
    const wires = [0, 1, 2].map(k =>
      cylinder(blackMetal(), 0.002, ceiling - at[1] - y, [Math.cos(k * 2.09) * r, y, Math.sin(k * 2.09) * r], {
        sides: 5,
      }),
    );
    // The ring emits the light: its body must not cast a shadow.
    const body = ring(finish, r, 0.018, [0, y + 0.014, 0]);
    body.castShadow = false;
    return [body, ring(glowing('#ffe0b8', candela > 0 ? 5 : 0.8), r, 0.013, [0, y - 0.004, 0]), wires];
  });
  return assembly(parts, at);
}

/** A cluster of glass drops from a round plate. */
export function clusterChandelier(stage, { at, ceiling, count = 19, spread = 0.55, candela = 8 }) {
  const drops = Array.from({ length: count }, (_, i) => {
    const angle = i * 2.4;
    const r = spread * Math.sqrt(i / count);
    const y = 0.5 * Math.sin(i * 1.7) * 0.5 + r * 0.5;
    return [
      ball(glowing('#ffe2bb', candela > 0 ? 2.8 : 0.8), 0.055, [Math.cos(angle) * r, y, Math.sin(angle) * r], 16),
      cylinder(brass(), 0.003, ceiling - at[1] - y, [Math.cos(angle) * r, y + 0.05, Math.sin(angle) * r], {
        sides: 5,
      }),
    ];
  });
  bulb(stage, [at[0], at[1] + 0.1, at[2]], candela);
  return assembly([drops, cylinder(brass(), spread * 0.8, 0.03, [0, ceiling - at[1] - 0.03, 0])], at);
}

/** A hidden LED strip: a glowing line and its light source along `normal`. */
export function ledStrip(stage, { from, to, normal, radiance = 6, width = 0.03, color = '#ffe9d0', visible = true }) {
  const [a, b] = [new Vector3(...from), new Vector3(...to)];
  const along = b.clone().sub(a).multiplyScalar(0.5);
  const n = new Vector3(...normal).normalize();
  const across = new Vector3()
    .crossVectors(along, n)
    .normalize()
    .multiplyScalar(width / 2);
  const centre = a.clone().add(b).multiplyScalar(0.5);
  stage.light(
    areaSource({
      centre: centre.clone().addScaledVector(n, 0.02),
      u: along,
      v: across,
      normal: n,
      color,
      radiance,
    }),
  );
  if (!visible) return [];
  const size = [
    Math.max(0.012, Math.abs(b.x - a.x)),
    Math.max(0.012, Math.abs(b.y - a.y)),
    Math.max(0.012, Math.abs(b.z - a.z)),
  ];
  return [box(glowing(color, Math.min(radiance, 5)), size, [centre.x, centre.y - size[1] / 2, centre.z])];
}

/** A linen wall light. */
export function sconce(stage, { at, turn = 0, candela = 1.6 }) {
  const out = [at[0] + Math.sin(turn) * 0.16, at[1] + 0.1, at[2] + Math.cos(turn) * 0.16];
  bulb(stage, out, candela);
  return assembly(
    [
      box(brass(), [0.06, 0.24, 0.02], [0, 0, 0.01]),
      cylinder(candela > 0 ? glowing('#ffe0b6', 2.2) : cloth('#efe7da'), 0.05, 0.2, [0, 0.02, 0.09]),
    ],
    at,
    turn,
  );
}
