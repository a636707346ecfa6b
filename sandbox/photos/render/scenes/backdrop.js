// The world outside a room's windows: sky and whatever the property looks on.
import { PlaneGeometry } from 'three';
import { city, towers } from '../architecture/skyline.js';
import { sea, skyDome } from '../architecture/sky.js';
import { lawn, leafy } from '../materials/library.js';
import { hedge, palm, tree } from '../furniture/plants.js';
import { solid } from '../shapes.js';

const drop = storeys => -storeys * 3.6;

const views = {
  /** High over a marina: water below, towers across it. */
  marina: (time, { dim, storey = 24, facing = 0 }) => [
    sea(time, { y: drop(storey), dim, chop: 0.6 }),
    towers(time, city({ count: 34, near: 260, far: 620, spread: 1.3, facing, tall: 230, low: 70, seed: 11 }), { y: drop(storey), dim, seed: 4 }),
    towers(time, city({ count: 60, near: 700, far: 2200, spread: 1.2, facing, tall: 330, low: 60, seed: 21 }), { y: drop(storey), dim, seed: 6, haze: 0.0003 }),
  ],
  /** A dense downtown seen from high up. */
  downtown: (time, { dim, storey = 40, facing = 0 }) => [
    sea(time, { y: drop(storey) - 2, dim, deep: '#3a3d3a', shallow: '#4a4a44', chop: 0.1 }),
    towers(time, city({ count: 90, near: 160, far: 900, spread: 1.4, facing, tall: 250, low: 30, seed: 33 }), { y: drop(storey), dim, seed: 9 }),
    towers(time, [{ x: 190, z: -760, width: 56, depth: 56, height: 520, style: 3, tone: '#c9ced4', drum: true }], { y: drop(storey), dim }),
    towers(time, city({ count: 120, near: 900, far: 2600, spread: 1.3, facing, tall: 220, low: 24, seed: 35 }), { y: drop(storey), dim, seed: 10, haze: 0.00034 }),
  ],
  /** Open sea with a far shore. */
  sea: (time, { dim, storey = 18, facing = 0 }) => [
    sea(time, { y: drop(storey), dim, chop: 0.5, deep: '#0e5f78', shallow: '#2f9fae' }),
    towers(time, city({ count: 26, near: 1900, far: 2900, spread: 0.5, facing: facing + 0.7, tall: 240, low: 40, seed: 8 }), { y: drop(storey), dim, haze: 0.0004 }),
  ],
};

/** A garden at floor level; it is lit like the room, not by the backdrop's own light. */
function garden() {
  const ground = solid(new PlaneGeometry(120, 120).rotateX(-Math.PI / 2), lawn(), [0, -0.06, 0]);
  ground.castShadow = false;
  const beyond = [-9, -4.5, 0.5, 5.5, 10].map((x, i) => tree({ height: 5 + (i % 3), radius: 2.2, count: 1500, seed: i + 3, at: [x, 0, -15 - (i % 2) * 3] }));
  const palms = [-6, 3.5, 8].map((x, i) => palm({ height: 5 + i, seed: i + 2, at: [x, 0, -11.5 - i] }));
  return [ground, beyond, palms, hedge({ size: [40, 1.6, 1], density: 60, leaf: 0.2, at: [0, 0, -19] })];
}

/** Adds the view named `name` and its sky; `dim` lowers it as a bracketed exposure would. */
export function backdrop(stage, time, { name = 'marina', dim = 0.6, ...rest } = {}) {
  stage.add(skyDome(time, { dim }));
  stage.add(name === 'garden' ? garden() : views[name](time, { dim, ...rest }));
}

/** The material of a far wall of green, where a view needs one. */
export const farGreen = () => leafy('#5d7a44');
