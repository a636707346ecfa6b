// The shell of a room: size, windows, finishes, light. Scenes add the furniture.
import { AmbientLight, MeshStandardMaterial, PlaneGeometry, Vector3 } from 'three';
import { Mirror, reflectIn } from '../light/mirror.js';
import { sunSource } from '../light/sources.js';
import { plain, plaster } from '../materials/library.js';
import { backdrop } from '../scenes/backdrop.js';
import { assembly, box, solid } from '../shapes.js';
import { cove, curtain, downlights, glazing, slabs, wall } from './room.js';
import { timeOfDay } from './times.js';

/** Brightness of the windows and dimming of the view, as in a bracketed exposure. */
const DAYLIGHT = {
  day: { color: '#e9f0f8', radiance: 1, dim: 0.5, lamps: 0.35 },
  morning: { color: '#f6eee2', radiance: 1, dim: 0.5, lamps: 0.35 },
  sunset: { color: '#f7c9a0', radiance: 0.5, dim: 0.4, lamps: 0.45 },
  dusk: { color: '#6f86bd', radiance: 0.12, dim: 0.5, lamps: 0.6 },
  night: { color: '#33406a', radiance: 0.02, dim: 0.55, lamps: 0.6 },
};

const SIDES = {
  back: ({ min, max }) => ({ axis: 'x', at: min[1], from: min[0], to: max[0], outward: -1 }),
  front: ({ min, max }) => ({ axis: 'x', at: max[1], from: min[0], to: max[0], outward: 1 }),
  left: ({ min, max }) => ({ axis: 'z', at: min[0], from: min[1], to: max[1], outward: -1 }),
  right: ({ min, max }) => ({ axis: 'z', at: max[0], from: min[1], to: max[1], outward: 1 }),
};

/** Curtains on both sides of a window, at the distance `off` from the wall. */
function drapes({ axis, at, outward }, { from, to, head }, { color, sheer }) {
  const off = at - outward * 0.18;
  const hang = (along, width, options, back = 0) =>
    axis === 'x'
      ? assembly([curtain({ width, height: head + 0.08, color, ...options })], [along, 0, off - outward * back])
      : assembly(
          [curtain({ width, height: head + 0.08, color, ...options })],
          [off - outward * back, 0, along],
          Math.PI / 2,
        );
  const width = Math.min(1, (to - from) * 0.16);
  return [
    hang(from + width / 2 - 0.15, width, { folds: 7 }, 0.08),
    hang(to - width / 2 + 0.15, width, { folds: 7, seed: 4 }, 0.08),
    sheer && hang(from + (to - from) * 0.2, (to - from) * 0.34, { folds: 16, sheer: true, depth: 0.05 }),
  ];
}

/** Window glass at night, which reflects the room. */
function nightGlass(stage, { axis, at, outward }, { from, to, sill = 0, head }) {
  const normal = axis === 'x' ? new Vector3(0, 0, -outward) : new Vector3(-outward, 0, 0);
  const centre =
    axis === 'x'
      ? new Vector3((from + to) / 2, (sill + head) / 2, at)
      : new Vector3(at, (sill + head) / 2, (from + to) / 2);
  const mirror = new Mirror({ point: centre, normal, scale: 0.6 });
  const material = reflectIn(
    new MeshStandardMaterial({
      color: '#ffffff',
      metalness: 1,
      roughness: 0.02,
      transparent: true,
      opacity: 0.13,
      depthWrite: false,
      side: 2,
    }),
    mirror,
  );
  const sheet = new PlaneGeometry(to - from, head - sill);
  if (axis === 'z') sheet.rotateY(Math.PI / 2);
  const mesh = solid(sheet, material, centre.toArray());
  mesh.receiveShadow = false;
  mirror.hides.push(mesh);
  stage.mirrors.push(mirror);
  return mesh;
}

/** Makes a floor material reflect the room. */
function polished(stage, material, blur = 0.012) {
  const mirror = new Mirror({ point: new Vector3(), normal: new Vector3(0, 1, 0), blur, scale: 0.5 });
  const floor = reflectIn(material.clone(), mirror, 0.01);
  floor.userData = material.userData;
  stage.mirrors.push(mirror);
  return { floor, mirror };
}

/** One window: glass, daylight, curtains; reflects the room at night. */
function windowIn(stage, run, window, { side, day, drapery, sheer, glassMirror }) {
  const { from, to, sill = 0, head, panes = Math.max(1, Math.round((to - from) / 1.7)) } = window;
  const at = run.at + run.outward * 0.1;
  const pane = day.radiance > 0.3;
  stage.add(glazing(stage, { axis: run.axis, at, from, to, sill, head, panes, inward: -run.outward, day, pane }));
  if (drapery && !window.bare) stage.add(drapes(run, window, { color: drapery, sheer }));
  if (!pane && glassMirror === side) stage.add(nightGlass(stage, run, window));
}

/** Floor and ceiling; `gloss` makes the floor reflect the room, with more blur for larger values. */
function floorAndCeiling(stage, { min, max, height, floor, gloss }) {
  const laid = gloss > 0 ? polished(stage, floor, gloss) : { floor };
  const shell = slabs({ min, max, height, floor: laid.floor });
  laid.mirror?.hides.push(shell[0]);
  return shell;
}

/**
 * Builds the room between `min` and `max` (x, z). `windows` are `{ side, from, to, sill, head, panes }`; `finishes`
 * contains the walls' materials by side; `spots` are downlights; `ceiling` is 'cove' or 'flat'. Returns the daylight.
 */
export function interior(stage, options) {
  const { min, max, height, windows = [], finishes = {}, paint = '#ece8e0', floor, gloss = 0 } = options;
  const { ceiling = 'cove', coveLight = 1, spots = [], time: name, azimuth = 2.6, elevation = 0.62 } = options;
  const { view, storey, dim, drapery = '#d9d2c6', sheer = false, glassMirror } = options;
  const day = DAYLIGHT[name];
  const time = timeOfDay(name, { azimuth, elevation });
  stage.inRoom([min[0], 0, min[1]], [max[0], height, max[1]]);
  stage.reach = Math.hypot(max[0] - min[0], max[1] - min[1]) + 4;
  stage.add(floorAndCeiling(stage, { min, max, height, floor, gloss }));
  for (const [side, place] of Object.entries(SIDES)) {
    const run = place({ min, max });
    const openings = windows.filter(w => w.side === side);
    stage.add(wall({ ...run, height, openings, material: finishes[side] ?? plaster(paint) }));
    for (const window of openings) windowIn(stage, run, window, { side, day, drapery, sheer, glassMirror });
    if (openings.length === 0) stage.add(skirting(run, finishes[side]));
  }
  if (day.radiance > 0.3) {
    const irradiance = name === 'sunset' ? 2.4 : 4;
    stage.sun = sunSource({ direction: time.sunDirection, color: time.sunColor, irradiance });
  }
  backdrop(stage, time, { name: view, dim: dim ?? day.dim, ...(storey ? { storey } : {}) });
  stage.add(new AmbientLight(day.color, 0.015 + 0.06 * day.radiance));
  const { lamps } = day;
  if (ceiling === 'cove') stage.add(cove(stage, { min, max, height, radiance: 5 * lamps * coveLight }));
  const under = ceiling === 'cove' ? height - 0.22 : height;
  stage.add(downlights(stage, spots, { height: under, candela: 5 * lamps }));
  return day;
}

function skirting({ axis, at, from, to, outward }, finish) {
  if (finish) return [];
  const [length, middle, depth] = [to - from, (from + to) / 2, at - outward * 0.008];
  const white = plain('#f1eee8', { roughness: 0.5 });
  return axis === 'x'
    ? [box(white, [length, 0.1, 0.016], [middle, 0, depth])]
    : [box(white, [0.016, 0.1, length], [depth, 0, middle])];
}

/** Fluted panels on a wall: `count` half-round battens from `from` to `to` along x at z. */
export const fluted = ({ from, to, z, height, material, count }) =>
  Array.from({ length: count }, (_, i) =>
    box(material, [((to - from) / count) * 0.72, height, 0.05], [from + ((to - from) * (i + 0.5)) / count, 0, z], 0.02),
  );
