// Palms: drooping fronds on a crown; outdoor palms have a trunk, indoor ones a pot.
import { BufferGeometry, Float32BufferAttribute, Matrix4, Vector3 } from 'three';
import { seededRandom } from '../light/random.js';
import { leafy, plain } from '../materials/library.js';
import { assembly, tube } from '../shapes.js';

import { leaves, outward, pot } from './plants.js';

/** A frond: leaflets on a drooping rib, as one geometry along +y. */
function frond({ leaflets = 44, length = 1, droop = 0.55 }) {
  const positions = [];
  const index = [];
  const rib = t => new Vector3(0, length * (t - 0.18 * droop * t * t), -droop * length * t * t * 0.75);
  for (let i = 0; i < leaflets; i++) {
    const t = 0.12 + 0.88 * (i / leaflets);
    const reach = 0.34 * Math.sin(Math.PI * (0.12 + 0.86 * t)) ** 0.7;
    const from = rib(t);
    for (const side of [-1, 1]) {
      const tip = from.clone().add(new Vector3(side * reach * 0.86, reach * 0.5, -reach * (0.18 + droop * 0.3)));
      const wide = new Vector3(0, 0.017, 0.004);
      const middle = from
        .clone()
        .lerp(tip, 0.4)
        .add(new Vector3(0, 0.012, 0.02));
      const n = positions.length / 3;
      for (const p of [from, middle.clone().sub(wide), middle.clone().add(wide), tip]) positions.push(p.x, p.y, p.z);
      index.push(n, n + 1, n + 2, n + 1, n + 3, n + 2);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
  geometry.setAttribute('uv', new Float32BufferAttribute(new Float32Array((positions.length / 3) * 2), 2));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

function crown({ at, count, size, random, low = -0.35 }) {
  return Array.from({ length: count }, (_, i) => ({
    at: at.clone(),
    direction: outward(i * 2.4 + random() * 0.4, low + (1.35 - low) * (1 - i / count) + random() * 0.15),
    size: size * (0.8 + random() * 0.35),
    // Fronds hang down with their back away from the trunk.
    roll: 0,
  }));
}

/** Rotates fronds so that they droop toward the ground in every direction. */
function droopingFronds(places, color, random) {
  const mesh = leaves(frond({}), leafy(color), places, random);
  places.forEach(({ at, direction, size }, i) => {
    const side = new Vector3().crossVectors(direction, new Vector3(0, 1, 0)).normalize();
    const back = new Vector3().crossVectors(side, direction).normalize();
    const matrix = new Matrix4()
      .makeBasis(side, direction.clone().normalize(), back)
      .scale(new Vector3(size, size, size))
      .setPosition(at);
    mesh.setMatrixAt(i, matrix);
  });
  return mesh;
}

/** A date palm `height` metres tall. */
export function palm({ height = 6, size = 2.6, count = 34, seed = 1, lean = 0.25, color = '#56773a', at, turn }) {
  const random = seededRandom(seed);
  const top = new Vector3(lean * (random() - 0.3) * 2, height, lean * (random() - 0.5) * 2);
  const trunk = tube(
    plain('#7d6850', { roughness: 1 }),
    [[0, 0, 0], [top.x * 0.25, height * 0.4, top.z * 0.2], [top.x * 0.7, height * 0.75, top.z * 0.7], top.toArray()],
    0.16,
  );
  return assembly([trunk, droopingFronds(crown({ at: top, count, size, random }), color, random)], at, turn);
}

/** A young areca palm in a pot, for indoors. */
export function pottedPalm({ height = 1.7, count = 18, seed = 3, pot: holder, at, color = '#58823f' }) {
  const random = seededRandom(seed);
  const places = Array.from({ length: count }, (_, i) => ({
    at: new Vector3((random() - 0.5) * 0.12, 0.34, (random() - 0.5) * 0.12),
    direction: outward(i * 2.4, 0.75 + random() * 0.7),
    size: height * (0.55 + random() * 0.4),
  }));
  return assembly([holder ?? pot(), droopingFronds(places, color, random)], at);
}
