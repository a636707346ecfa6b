// A golf course below a balcony.
import { PlaneGeometry } from 'three';
import { city, towers } from '../architecture/skyline.js';
import { palm } from '../furniture/palms.js';
import { tree } from '../furniture/plants.js';
import { fairway, lawn, plain, plaster } from '../materials/library.js';
import { box, cylinder, solid } from '../shapes.js';

/** Fairways, bunkers, a lake and trees, about ten metres below the balcony. */
export function golfCourse(time) {
  const y = -11;
  const parts = [solid(new PlaneGeometry(1600, 1600).rotateX(-Math.PI / 2), lawn(), [0, y, -700])];
  const bunker = plain('#e6d8b4', { roughness: 1 });
  const lake = plain('#2f6f86', { roughness: 0.04 });
  const patch = (material, radius, x, z, lift, squash = 0.6, turn = 0) => {
    const mesh = cylinder(material, radius, 0.3, [x, y + lift - 0.3, z], { sides: 48 });
    mesh.scale.z = squash;
    mesh.rotation.y = turn;
    return mesh;
  };
  parts.push(
    patch(fairway(), 34, -10, -90, 0.12, 2.4, 0.3),
    patch(fairway(), 26, 44, -190, 0.14, 2.2, -0.5),
    patch(fairway(3), 12, 22, -128, 0.2, 0.8),
    patch(bunker, 7, 8, -112, 0.24, 0.5, 0.4),
    patch(bunker, 6, 40, -134, 0.24, 0.6, -0.3),
    patch(bunker, 8, -44, -132, 0.24, 0.45),
    patch(lake, 30, -58, -84, 0.22, 0.55, 0.3),
    patch(lake, 36, 70, -110, 0.22, 0.5, -0.2),
  );
  parts.push(
    cylinder(plain('#f4f4f2'), 0.05, 3.4, [22, y, -128], { sides: 6 }),
    box(plain('#c8402f'), [0.9, 0.6, 0.04], [22.5, y + 2.7, -128]),
  );
  const spots = Array.from({ length: 70 }, (_, i) => [Math.sin(i * 12.9) * 150, -60 - ((i * 61) % 240)]).filter(
    ([x, z]) => Math.abs(x + 8) > 30 || z < -190,
  );
  parts.push(
    spots.map(([x, z], i) =>
      tree({ height: 7 + (i % 4) * 1.4, radius: 3.2, count: 420, leaf: 0.8, seed: i, at: [x, y, z] }),
    ),
    [
      [-30, -60],
      [34, -66],
      [58, -74],
      [-70, -110],
    ].map(([x, z], i) => palm({ height: 10, size: 3, seed: i, at: [x, y, z] })),
  );
  parts.push(
    Array.from({ length: 9 }, (_, i) =>
      box(
        plaster(['#efe8dc', '#e6d9c4', '#f3efe8'][i % 3]),
        [22, 8 + (i % 3) * 2, 16],
        [-190 + i * 48, y, -300 - (i % 2) * 26],
      ),
    ),
    towers(time, city({ count: 36, near: 1100, far: 2000, spread: 0.8, tall: 300, low: 60, seed: 71 }), {
      y,
      haze: 0.00022,
    }),
  );
  return parts;
}
