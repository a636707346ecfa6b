// A modern two-storey villa: white volumes, stone and timber, full-height glass with furnished rooms behind it.
import { MeshStandardMaterial, PlaneGeometry, Vector3 } from 'three';
import { art } from '../furniture/decor.js';
import { pottedPalm } from '../furniture/palms.js';
import { sofa } from '../furniture/seating.js';
import { areaSource } from '../light/sources.js';
import { blackMetal, cladding, cloth, glowing, plain, plaster, stone, timber } from '../materials/library.js';
import { assembly, ball, box, cylinder, solid } from '../shapes.js';
import { curtain } from './room.js';

/** Exterior glass: slightly reflective, shows the room behind. */
const facadeGlass = () =>
  new MeshStandardMaterial({
    color: '#dfe9ee',
    metalness: 1,
    roughness: 0.02,
    transparent: true,
    opacity: 0.2,
    depthWrite: false,
  });

function pane(width, height, at, turn = 0) {
  const mesh = solid(new PlaneGeometry(width, height).rotateY(turn), facadeGlass(), [at[0], at[1] + height / 2, at[2]]);
  mesh.receiveShadow = false;
  return mesh;
}

/** Glass front at z = `z` from `from` to `to`, with slim mullions. */
function glassFront({ from, to, z, y, height, panes }) {
  const width = to - from;
  const bars = Array.from({ length: panes + 1 }, (_, i) =>
    box(blackMetal(), [0.06, height, 0.09], [from + (width * i) / panes, y, z]),
  );
  return [
    bars,
    box(blackMetal(), [width, 0.06, 0.09], [(from + to) / 2, y, z]),
    box(blackMetal(), [width, 0.06, 0.09], [(from + to) / 2, y + height - 0.06, z]),
    pane(width, height, [(from + to) / 2, y, z]),
  ];
}

/** A room behind glass: floor, back wall, ceiling light of `radiance`, some furniture. */
function roomBehind(stage, { from, to, z, depth, y, height, radiance, kind }) {
  const [w, x] = [to - from, (from + to) / 2];
  const back = kind === 'bed' ? timber('oak') : plaster('#e8dfd0');
  const parts = [
    box(stone('crema'), [w, 0.04, depth], [x, y, z - depth / 2]),
    box(back, [w, height, 0.12], [x, y, z - depth]),
    box(plaster('#efe8db'), [0.1, height, depth], [from, y, z - depth / 2]),
    box(plaster('#efe8db'), [0.1, height, depth], [to, y, z - depth / 2]),
  ];
  if (radiance > 0) {
    for (const t of [0.25, 0.75]) {
      const centre = new Vector3(from + w * t, y + height - 0.1, z - depth * 0.45);
      stage.light(
        areaSource({
          centre,
          u: new Vector3(w * 0.2, 0, 0),
          v: new Vector3(0, 0, depth * 0.25),
          normal: new Vector3(0, -1, 0),
          color: '#ffc88e',
          radiance,
        }),
      );
      parts.push(
        box(
          glowing('#ffd9a8', radiance * 1.5),
          [w * 0.3, 0.02, 0.06],
          [from + w * t, y + height - 0.06, z - depth * 0.6],
        ),
      );
    }
  }
  const fold = seed => curtain({ width: 0.8, height: height - 0.1, folds: 6, depth: 0.06, color: '#e5dccd', seed });
  parts.push(assembly([fold(1)], [from + 0.5, y + 0.04, z - 0.3]), assembly([fold(2)], [to - 0.5, y + 0.04, z - 0.3]));
  if (kind === 'living')
    parts.push(
      sofa({ at: [x - 0.4, y + 0.04, z - depth * 0.62], fabric: cloth('#cfc6b6') }),
      art({ at: [x - 0.4, y + 1.1, z - depth + 0.07], width: 1.8, height: 1.1, palette: 'clay' }),
      pottedPalm({ at: [to - 1.2, y + 0.04, z - depth * 0.6] }),
    );
  if (kind === 'dining')
    parts.push(
      box(timber('walnut'), [2.2, 0.06, 0.9], [x, y + 0.72, z - depth * 0.5]),
      box(blackMetal(), [1.2, 0.72, 0.2], [x, y, z - depth * 0.5]),
      [-0.6, 0, 0.6].map(d =>
        ball(glowing('#ffdca8', Math.max(radiance * 2.5, 0.8)), 0.11, [x + d, y + 1.75, z - depth * 0.5], 16),
      ),
    );
  if (kind === 'bed')
    parts.push(
      box(cloth('#efe9de'), [1.8, 0.5, 2], [x, y + 0.05, z - depth + 1.2], 0.08),
      box(cloth('#b09a80'), [2.4, 1.2, 0.12], [x, y, z - depth + 0.14], 0.03),
    );
  return parts;
}

/** Timber slats in front of a wall. */
const slats = ({ from, to, z, y, height, count }) =>
  Array.from({ length: count }, (_, i) =>
    box(timber('teak'), [0.05, height, 0.1], [from + ((to - from) * (i + 0.5)) / count, y, z]),
  );

/** A frameless glass balustrade with a slim rail. */
export const balustrade = ({ from, to, z, y, height = 1.05 }) => [
  pane(to - from, height, [(from + to) / 2, y, z]),
  box(blackMetal(), [to - from, 0.04, 0.05], [(from + to) / 2, y + height, z]),
];

/** Living and dining rooms under a deep slab, stone on both sides, a wing with slats. */
function groundFloor(stage, glow) {
  const white = plaster('#efebe4');
  const soffit = timber('teak');
  return [
    roomBehind(stage, {
      from: -5.6,
      to: 1.2,
      z: -0.6,
      depth: 5,
      y: 0.1,
      height: 2.95,
      radiance: glow,
      kind: 'living',
    }),
    roomBehind(stage, {
      from: 1.2,
      to: 6.6,
      z: -0.6,
      depth: 5,
      y: 0.1,
      height: 2.95,
      radiance: glow,
      kind: 'dining',
    }),
    glassFront({ from: -5.6, to: 6.6, z: -0.6, y: 0.1, height: 2.95, panes: 6 }),
    box(cladding(), [3.4, 3.05, 6], [-7.3, 0, -2.6]),
    box(cladding(), [0.5, 6.9, 5], [6.85, 0, -2.4]),
    box(white, [4.4, 3.1, 5], [9.3, 0, -3.4]),
    slats({ from: 7.3, to: 11.4, z: -0.85, y: 0.1, height: 2.9, count: 30 }),
    box(white, [15.4, 0.4, 3.6], [-1.2, 3.05, 0.4]),
    box(soffit, [15.2, 0.03, 3.4], [-1.2, 3.02, 0.4]),
    box(white, [17, 0.36, 6], [0, 3.05, -3.4]),
    box(white, [5.4, 0.36, 6.4], [9.1, 3.05, -2.7]),
  ];
}

/** Bedrooms behind a balcony, under the roof. */
function upperFloor(stage, glow) {
  const white = plaster('#efebe4');
  const soffit = timber('teak');
  return [
    roomBehind(stage, {
      from: -7.2,
      to: -1.6,
      z: -1.2,
      depth: 4.4,
      y: 3.45,
      height: 2.75,
      radiance: glow * 0.9,
      kind: 'bed',
    }),
    roomBehind(stage, {
      from: -1.4,
      to: 3.4,
      z: -1.2,
      depth: 4.4,
      y: 3.45,
      height: 2.75,
      radiance: glow * 0.8,
      kind: 'living',
    }),
    glassFront({ from: -7.2, to: -1.6, z: -1.2, y: 3.45, height: 2.75, panes: 3 }),
    glassFront({ from: -1.4, to: 3.4, z: -1.2, y: 3.45, height: 2.75, panes: 3 }),
    box(white, [0.4, 3.2, 6.4], [-7.5, 3.4, -2.8]),
    box(white, [0.4, 3.2, 4.8], [-1.5, 3.4, -3.6]),
    box(white, [3.2, 3.2, 5], [5, 3.4, -3.7]),
    box(white, [15.2, 0.42, 7.2], [-0.6, 6.2, -2.6]),
    box(soffit, [15, 0.03, 7], [-0.6, 6.17, -2.6]),
    balustrade({ from: -7.3, to: 6.3, z: 2.05, y: 3.45 }),
    box(plain('#e9e4da'), [13.8, 0.02, 3.2], [-0.5, 3.45, 0.4]),
  ];
}

/** The villa, about 20 m wide, its garden front along z = 0 facing +z; `glow` is the radiance of its rooms. */
export function villa(stage, { glow = 0 }) {
  const white = plaster('#efebe4');
  const columns = [-5.7, 0.4].map(x => box(white, [0.34, 3.05, 0.34], [x, 0, 1.7]));
  const spots =
    glow > 0 ? [-5, -2.5, 0, 2.5, 5].map(x => cylinder(glowing('#ffdcae', glow * 4), 0.05, 0.01, [x, 3.0, 0.8])) : [];
  if (glow > 0) {
    const strip = (x, w, y, z) =>
      areaSource({
        centre: new Vector3(x, y, z),
        u: new Vector3(w / 2, 0, 0),
        v: new Vector3(0, 0, 0.4),
        normal: new Vector3(0, -1, 0),
        color: '#ffc88e',
        radiance: glow * 0.55,
      });
    stage.light(strip(-1, 13, 3.0, 0.8), strip(-1, 13, 6.15, 0.2));
  }
  return [groundFloor(stage, glow), upperFloor(stage, glow), columns, spots];
}
