// Plants: pots, trees, hedges, grasses; leaves are instanced and translucent.
import { BufferGeometry, Color, Float32BufferAttribute, InstancedMesh, Matrix4, Quaternion, Vector3 } from 'three';
import { seededRandom } from '../light/random.js';
import { leafy, plain } from '../materials/library.js';
import { assembly, cylinder, tube, turned } from '../shapes.js';

/** A leaf blade along +y: `width` at its widest, bending forward by `bend`. */
function blade({ width, length, bend = 0.2, segments = 5, fold = 0.12, notch = 0.35 }) {
  const points = [];
  const index = [];
  for (let i = 0; i <= segments; i++) {
    const t = i / segments;
    const half = (width / 2) * Math.sin(Math.PI * Math.min(1, t ** (1 - notch * 0.6) * 0.97 + 0.015)) ** 0.8;
    const z = -bend * length * t * t;
    const y = length * t * (1 - 0.25 * Math.abs(bend) * t);
    points.push(-half, y, z + fold * half * 2, 0, y, z, half, y, z + fold * half * 2);
    if (i > 0) {
      const [a, b] = [(i - 1) * 3, i * 3];
      index.push(a, a + 1, b, a + 1, b + 1, b, a + 1, a + 2, b + 1, a + 2, b + 2, b + 1);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(points, 3));
  geometry.setAttribute('uv', new Float32BufferAttribute(new Float32Array((points.length / 3) * 2), 2));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

/** The leaf of distant hedges and trees: two triangles. */
function scale(width) {
  const geometry = new BufferGeometry();
  geometry.setAttribute(
    'position',
    new Float32BufferAttribute([0, 0, 0, -width / 2, 0.5, 0.1, width / 2, 0.5, 0.1, 0, 1, -0.08], 3),
  );
  geometry.setAttribute('uv', new Float32BufferAttribute([0, 0, 0, 0, 0, 0, 0, 0], 2));
  geometry.setIndex([0, 2, 1, 1, 2, 3]);
  geometry.computeVertexNormals();
  return geometry;
}

export function leaves(geometry, material, places, random) {
  const mesh = new InstancedMesh(geometry, material, places.length);
  places.forEach(({ at, direction, size = 1, roll = 0 }, i) => {
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), direction.clone().normalize());
    turn.multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), roll));
    mesh.setMatrixAt(i, new Matrix4().compose(at, turn, new Vector3(size, size, size)));
    const shade = 0.75 + random() * 0.5;
    mesh.setColorAt(i, new Color(shade * (0.95 + random() * 0.15), shade, shade * 0.9));
  });
  mesh.castShadow = true;
  mesh.receiveShadow = true;
  mesh.frustumCulled = false;
  return mesh;
}

export const outward = (angle, rise) =>
  new Vector3(Math.cos(angle) * Math.cos(rise), Math.sin(rise), Math.sin(angle) * Math.cos(rise));

export const pot = (material = plain('#e5e1d9', { roughness: 0.7 }), radius = 0.2, height = 0.38, at = [0, 0, 0]) => [
  turned(
    material,
    [
      [0, 0],
      [radius * 0.72, 0],
      [radius * 0.78, 0.02],
      [radius, height * 0.7],
      [radius * 0.98, height],
      [radius * 0.88, height],
      [radius * 0.86, height - 0.05],
      [0, height - 0.05],
    ],
    at,
  ),
  cylinder(plain('#3b3027', { roughness: 1 }), radius * 0.86, 0.01, [at[0], at[1] + height - 0.05, at[2]]),
];

/** A fiddle-leaf fig or olive in a pot: one or three stems with broad leaves at their tops. */
export function pottedTree({
  height = 1.8,
  leaf = 0.26,
  count = 90,
  color = '#4f7a3a',
  seed = 2,
  pot: holder,
  at,
  turn,
}) {
  const random = seededRandom(seed);
  const places = [];
  const stems = [0, 1, 2].map(s => {
    const lean = 0.1 + random() * 0.14;
    const angle = (s / 3) * Math.PI * 2 + random();
    const top = height * (1 - s * 0.16);
    const point = t =>
      new Vector3(Math.cos(angle) * lean * top * t * t, 0.33 + (top - 0.33) * t, Math.sin(angle) * lean * top * t * t);
    for (let i = 0; i < count / 3; i++) {
      const t = 0.38 + 0.62 * Math.sqrt(random());
      places.push({
        at: point(t),
        direction: outward(random() * Math.PI * 2, -0.1 + random() * 1.1 * t),
        size: leaf * (0.6 + random() * 0.6),
        roll: random() - 0.5,
      });
    }
    return tube(
      plain('#6b5540', { roughness: 0.9 }),
      [0, 0.35, 0.7, 1].map(t => point(t).toArray()),
      0.014,
    );
  });
  return assembly(
    [holder ?? pot(), stems, leaves(blade({ width: 0.58, length: 1, bend: 0.3 }), leafy(color), places, random)],
    at,
    turn,
  );
}

/** Sword-shaped leaves from one base: a sansevieria, an agave, an ornamental grass. */
export function tuft({
  height = 0.8,
  count = 26,
  width = 0.07,
  spread = 0.5,
  bend = 0.25,
  color = '#5c8046',
  seed = 4,
  pot: holder,
  base = 0,
  at,
}) {
  const random = seededRandom(seed);
  const places = Array.from({ length: count }, () => ({
    at: new Vector3((random() - 0.5) * 0.14, base, (random() - 0.5) * 0.14),
    direction: outward(random() * Math.PI * 2, Math.PI / 2 - random() * spread),
    size: height * (0.6 + random() * 0.5),
    roll: random() * 6.28,
  }));
  return assembly(
    [holder, leaves(blade({ width: width / height, length: 1, bend, notch: 0.8 }), leafy(color), places, random)],
    at,
  );
}

/** A broad-leaved garden tree: a trunk, limbs, and a cloud of leaves. */
export function tree({ height = 5, radius = 1.7, count = 2600, color = '#5d8040', leaf = 0.3, seed = 9, at }) {
  const random = seededRandom(seed);
  const bark = plain('#6e5b48', { roughness: 1 });
  const centre = height - radius * 0.9;
  const lumps = Array.from({ length: 9 }, () => ({
    p: outward(random() * 6.28, random() * 1.9 - 0.55)
      .multiplyScalar(radius * 0.55 * Math.sqrt(random()))
      .add(new Vector3(0, centre, 0)),
    r: radius * (0.42 + random() * 0.25),
  }));
  const places = Array.from({ length: count }, () => {
    const lump = lumps[Math.floor(random() * lumps.length)];
    const out = outward(random() * 6.28, Math.asin(2 * random() - 1));
    return {
      at: lump.p.clone().addScaledVector(out, lump.r * random() ** 0.33),
      direction: out.add(new Vector3(0, random() - 0.5, 0)),
      size: leaf * (0.6 + random() * 0.8),
      roll: random() * 6.28,
    };
  });
  const limbs = lumps
    .slice(0, 5)
    .map(l => tube(bark, [[0, height * 0.25, 0], [l.p.x * 0.35, centre * 0.75, l.p.z * 0.35], l.p.toArray()], 0.05));
  return assembly(
    [
      cylinder(bark, 0.13, height * 0.45, [0, 0, 0], { top: 0.08, sides: 14 }),
      limbs,
      leaves(scale(0.6), leafy(color), places, random),
    ],
    at,
  );
}

/** A clipped hedge or shrub bed: leaves on the faces of a box. */
export function hedge({ size: [w, h, d], density = 260, color = '#4f7036', leaf = 0.11, seed = 6, at, turn }) {
  const random = seededRandom(seed);
  const core = plain('#3b5226', { roughness: 1 });
  const faces = [[w * d, () => [(random() - 0.5) * w, h, (random() - 0.5) * d], [0, 1, 0]]];
  for (const s of [-1, 1]) {
    faces.push([w * h, () => [(random() - 0.5) * w, random() * h, (s * d) / 2], [0, 0.2, s]]);
    faces.push([d * h, () => [(s * w) / 2, random() * h, (random() - 0.5) * d], [s, 0.2, 0]]);
  }
  const places = faces.flatMap(([area, point, normal]) =>
    Array.from({ length: Math.round(area * density) }, () => ({
      at: new Vector3(...point()).addScaledVector(new Vector3(...normal), (random() - 0.6) * 0.12),
      direction: new Vector3(...normal).add(
        new Vector3(random() - 0.5, random() * 0.8 - 0.2, random() - 0.5).multiplyScalar(1.6),
      ),
      size: leaf * (0.6 + random() * 0.8),
      roll: random() * 6.28,
    })),
  );
  const block = cylinder(core, 0.5, h * 0.97, [0, 0, 0], { sides: 4 });
  block.rotation.y = Math.PI / 4;
  const scaled = assembly([block]);
  scaled.scale.set((w * 0.94) / Math.SQRT1_2, 1, (d * 0.94) / Math.SQRT1_2);
  return assembly([scaled, leaves(scale(0.6), leafy(color), places, random)], at, turn);
}
