// The view from a room's windows: the sky and the surroundings.
import { PlaneGeometry } from 'three';
import { sea, skyDome } from '../architecture/sky.js';
import { city, towers } from '../architecture/skyline.js';
import { palm } from '../furniture/palms.js';
import { hedge, tree, tuft } from '../furniture/plants.js';
import { lawn } from '../materials/library.js';
import { solid } from '../shapes.js';

const drop = storeys => -storeys * 3.6;

const views = {
  /** High over a marina: water below, towers across it. */
  marina: (time, { dim, storey = 24, facing = 0 }) => [
    sea(time, { y: drop(storey), dim, chop: 0.6 }),
    towers(time, city({ count: 34, near: 260, far: 620, spread: 1.3, facing, tall: 230, low: 70, seed: 11 }), {
      y: drop(storey),
      dim,
      seed: 4,
    }),
    towers(time, city({ count: 60, near: 700, far: 2200, spread: 1.2, facing, tall: 330, low: 60, seed: 21 }), {
      y: drop(storey),
      dim,
      seed: 6,
      haze: 0.0002,
    }),
  ],
  /** A dense downtown seen from high up. */
  downtown: (time, { dim, storey = 40, facing = 0 }) => [
    sea(time, { y: drop(storey) - 2, dim, deep: '#3a3d3a', shallow: '#4a4a44', chop: 0.1 }),
    towers(time, city({ count: 90, near: 160, far: 900, spread: 1.4, facing, tall: 250, low: 30, seed: 33 }), {
      y: drop(storey),
      dim,
      seed: 9,
    }),
    towers(time, [{ x: 190, z: -760, width: 56, depth: 56, height: 520, style: 3, tone: '#c9ced4', drum: true }], {
      y: drop(storey),
      dim,
    }),
    towers(time, city({ count: 120, near: 900, far: 2600, spread: 1.3, facing, tall: 220, low: 24, seed: 35 }), {
      y: drop(storey),
      dim,
      seed: 10,
      haze: 0.00022,
    }),
  ],
  /** Open sea with a far shore. */
  sea: (time, { dim, storey = 18, facing = 0 }) => [
    sea(time, { y: drop(storey), dim, chop: 0.5, deep: '#0e5f78', shallow: '#2f9fae' }),
    towers(
      time,
      city({
        count: 26,
        near: 1900,
        far: 2900,
        spread: 0.5,
        facing: facing + 0.7,
        tall: 240,
        low: 40,
        seed: 8,
      }),
      { y: drop(storey), dim, haze: 0.00024 },
    ),
  ],
};

/** Gives outdoor objects a slight glow, as under open sky: the room's lights do not reach them. */
function underSky(objects, share) {
  for (const object of objects.flat(4)) {
    object.traverse(part => {
      if (!part.isMesh) return;
      const material = part.material.clone();
      material.userData = part.material.userData;
      material.defines = part.material.defines;
      material.emissive.copy(material.color).multiplyScalar(share);
      material.emissiveMap = material.map;
      part.material = material;
      part.castShadow = false;
    });
  }
  return objects;
}

/** A garden at floor level, on all sides of the room. */
function garden(light) {
  const ground = solid(new PlaneGeometry(160, 160).rotateX(-Math.PI / 2), lawn(), [0, -0.06, 0]);
  const ring = (count, radius, make) =>
    Array.from({ length: count }, (_, i) =>
      make(
        Math.sin((i / count) * 6.283 + 0.3) * radius * (1 + 0.14 * (i % 3)),
        -Math.cos((i / count) * 6.283 + 0.3) * radius * (1 + 0.14 * (i % 3)),
        i,
      ),
    );
  const trees = ring(15, 17, (x, z, i) =>
    tree({ height: 5 + (i % 3) * 1.3, radius: 2.5, count: 1500, leaf: 0.36, seed: i + 3, at: [x, 0, z] }),
  );
  const palms = ring(7, 11.5, (x, z, i) => palm({ height: 4.6 + (i % 3), seed: i + 2, at: [x, 0, z] }));
  const borders = [
    [0, -13, 0],
    [-13, 0, Math.PI / 2],
    [13, 0, Math.PI / 2],
  ].map(([x, z, turn]) => hedge({ size: [27, 1.7, 1], density: 120, leaf: 0.16, at: [x, 0, z], turn }));
  const beds = ring(12, 8.2, (x, z, i) =>
    tuft({
      at: [x, 0, z],
      height: 1,
      count: 26,
      width: 0.05,
      spread: 0.8,
      color: ['#93a06a', '#7d9a5c', '#a3a878'][i % 3],
      seed: i,
    }),
  );
  return underSky([ground, trees, palms, borders, beds], light);
}

/** Adds the view `name` and its sky; `dim` darkens it, as in a bracketed exposure. */
export function backdrop(stage, time, { name = 'marina', dim = 0.6, ...rest } = {}) {
  stage.add(skyDome(time, { dim }));
  stage.add(name === 'garden' ? garden(0.15 * time.radiance ** 0.5) : views[name](time, { dim, ...rest }));
}
