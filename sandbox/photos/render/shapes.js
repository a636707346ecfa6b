// Basic solids with texture coordinates in metres; `at` is the centre of a solid's base.
import {
  BoxGeometry,
  BufferAttribute,
  CatmullRomCurve3,
  CylinderGeometry,
  Group,
  LatheGeometry,
  Mesh,
  SphereGeometry,
  TorusGeometry,
  TubeGeometry,
  Vector2,
  Vector3,
} from 'three';
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js';

/** Projects each vertex along its normal's main axis, so that textures have the same scale on all solids. */
export function metricUv(geometry) {
  const { position, normal } = geometry.attributes;
  const uv = new Float32Array(position.count * 2);
  for (let i = 0; i < position.count; i++) {
    const [nx, ny, nz] = [Math.abs(normal.getX(i)), Math.abs(normal.getY(i)), Math.abs(normal.getZ(i))];
    const [x, y, z] = [position.getX(i), position.getY(i), position.getZ(i)];
    const flat = ny >= nx && ny >= nz;
    uv[i * 2] = flat || nz > nx ? x : z;
    uv[i * 2 + 1] = flat ? z : y;
  }
  geometry.setAttribute('uv', new BufferAttribute(uv, 2));
  return geometry;
}

export function solid(geometry, material, at = [0, 0, 0]) {
  const mesh = new Mesh(geometry, material);
  mesh.position.set(...at);
  mesh.castShadow = !material.transparent && !material.isMeshBasicMaterial;
  mesh.receiveShadow = true;
  return mesh;
}

/** A box of `[width, height, depth]` standing on `at`, its edges rounded by `radius`. */
export function box(material, size, at, radius = 0) {
  const [w, h, d] = size;
  const r = Math.min(radius, w / 2.01, h / 2.01, d / 2.01);
  const geometry = r > 0 ? new RoundedBoxGeometry(w, h, d, r > 0.03 ? 3 : 1, r) : new BoxGeometry(w, h, d);
  geometry.translate(0, h / 2, 0);
  return solid(metricUv(geometry), material, at);
}

/** A cushion: a box that is thicker in the middle and droops slightly at the corners. */
export function cushion(material, [w, h, d], at, puff = 0.35) {
  const geometry = new RoundedBoxGeometry(w, h, d, 5, Math.min(h, w, d) * 0.42);
  const p = geometry.attributes.position;
  for (let i = 0; i < p.count; i++) {
    const [x, y, z] = [p.getX(i) / w, p.getY(i) / h, p.getZ(i) / d];
    const axes = [w, h, d];
    const thin = axes.indexOf(Math.min(...axes));
    const [a, b] = [x, y, z].filter((_, axis) => axis !== thin);
    const swell = 1 + puff * (1 - 4 * a * a) * (1 - 4 * b * b) - puff * 0.4 * (a * a + b * b) * 2;
    if (thin === 0) p.setX(i, p.getX(i) * swell);
    if (thin === 1) p.setY(i, p.getY(i) * swell);
    if (thin === 2) p.setZ(i, p.getZ(i) * swell);
  }
  geometry.computeVertexNormals();
  geometry.translate(0, h / 2, 0);
  return solid(metricUv(geometry), material, at);
}

export function cylinder(material, radius, height, at, { top = radius, sides = 40 } = {}) {
  const geometry = new CylinderGeometry(top, radius, height, sides);
  geometry.translate(0, height / 2, 0);
  return solid(metricUv(geometry), material, at);
}

export const ball = (material, radius, at, sides = 32) =>
  solid(new SphereGeometry(radius, sides, sides * 0.6), material, at);
export const ring = (material, radius, thickness, at) =>
  solid(new TorusGeometry(radius, thickness, 12, 64).rotateX(Math.PI / 2), material, at);

/** A solid of revolution from `[radius, height]` points, bottom to top. */
export const turned = (material, profile, at, sides = 48) =>
  solid(
    metricUv(
      new LatheGeometry(
        profile.map(([x, y]) => new Vector2(x, y)),
        sides,
      ),
    ),
    material,
    at,
  );

/** A bent tube through points. */
export function tube(material, points, radius, at = [0, 0, 0]) {
  const curve = new CatmullRomCurve3(points.map(p => new Vector3(...p)));
  return solid(new TubeGeometry(curve, points.length * 8, radius, 10), material, at);
}

/** Groups parts into one object at `at`, rotated by `turn` radians and scaled by `scale`. */
export function assembly(parts, at = [0, 0, 0], turn = 0, scale = 1) {
  const group = new Group();
  group.add(...parts.flat(4).filter(Boolean));
  group.position.set(...at);
  group.rotation.y = turn;
  group.scale.setScalar(scale);
  return group;
}

/** Tilts an object: rotates it about its base. */
export function tilted(object, { x = 0, y = 0, z = 0 }) {
  object.rotation.set(x, y, z, 'YXZ');
  return object;
}
