// Parts of rooms: floor, walls with openings, ceiling with cove and downlights, full-height glazing, curtains.
import { BufferAttribute, PlaneGeometry, Vector3 } from 'three';
import { areaSource, beamSource } from '../light/sources.js';
import { blackMetal, cloth, glass, glowing, leafy, plain, plaster } from '../materials/library.js';
import { box, cylinder, solid } from '../shapes.js';

const THICK = 0.25;

/**
 * One wall of a room along an axis: 'x' walls stand at z = `at` from `from` to `to`; 'z' walls stand at x = `at`.
 * `openings` are `{ from, to, sill, head }`; the wall is built around them.
 */
export function wall({ axis, at, from, to, height, material = plaster(), openings = [], outward = 1 }) {
  const pieces = [];
  const piece = (a, b, low, high) => {
    if (b - a < 0.01 || high - low < 0.01) return;
    const middle = at + (outward * THICK) / 2;
    const size = axis === 'x' ? [b - a, high - low, THICK] : [THICK, high - low, b - a];
    pieces.push(box(material, size, axis === 'x' ? [(a + b) / 2, low, middle] : [middle, low, (a + b) / 2]));
  };
  let start = from;
  for (const opening of [...openings].sort((a, b) => a.from - b.from)) {
    piece(start, opening.from, 0, height);
    piece(opening.from, opening.to, 0, opening.sill ?? 0);
    piece(opening.from, opening.to, opening.head ?? height, height);
    start = opening.to;
  }
  piece(start, to, 0, height);
  return pieces;
}

/** Floor and ceiling slabs of a room between `min` and `max` (corners in x and z). */
export function slabs({ min, max, height, floor, ceiling = plaster('#f4f2ee') }) {
  const [w, d] = [max[0] - min[0] + 2 * THICK, max[1] - min[1] + 2 * THICK];
  const [x, z] = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2];
  return [box(floor, [w, 0.3, d], [x, -0.3, z]), box(ceiling, [w, 0.3, d], [x, height, z])];
}

/** A glazed opening: slim frame, `panes` panes, and its daylight as a light source. */
export function glazing(
  stage,
  { axis, at, from, to, sill = 0, head, panes = 3, inward = 1, day, frame = blackMetal(), pane = true },
) {
  const [width, height, middle] = [to - from, head - sill, (from + to) / 2];
  const place = (along, y, size) =>
    axis === 'x'
      ? box(frame, [size[0], size[1], size[2]], [along, y, at])
      : box(frame, [size[2], size[1], size[0]], [at, y, along]);
  const parts = [place(middle, sill, [width, 0.05, 0.1]), place(middle, head - 0.06, [width, 0.06, 0.1])];
  for (let i = 0; i <= panes; i++) parts.push(place(from + (width * i) / panes, sill, [0.05, height, 0.1]));
  const normal = axis === 'x' ? new Vector3(0, 0, inward) : new Vector3(inward, 0, 0);
  const centre = axis === 'x' ? new Vector3(middle, sill + height / 2, at) : new Vector3(at, sill + height / 2, middle);
  const u = axis === 'x' ? new Vector3(width / 2, 0, 0) : new Vector3(0, 0, width / 2);
  const source = areaSource({
    centre: centre.addScaledVector(normal, 0.08),
    u,
    v: new Vector3(0, height / 2, 0),
    normal,
    color: day.color,
    radiance: day.radiance,
  });
  stage.apertures.push(source);
  if (day.radiance > 0) stage.light(source);
  if (pane) {
    const sheet = new PlaneGeometry(width, height);
    if (axis === 'z') sheet.rotateY(Math.PI / 2);
    const mesh = solid(
      sheet,
      glass({ opacity: 0.06 }),
      axis === 'x' ? [middle, sill + height / 2, at] : [at, sill + height / 2, middle],
    );
    mesh.receiveShadow = false;
    parts.push(mesh);
  }
  return parts;
}

/** A curtain with `folds`, from `from` to `to` along x (rotate the result for other walls). */
export function curtain({ width, height, folds = 9, depth = 0.09, color = '#d9d2c6', sheer = false, seed = 1 }) {
  const geometry = new PlaneGeometry(width, height, folds * 12, 6);
  const p = geometry.attributes.position;
  for (let i = 0; i < p.count; i++) {
    const t = p.getX(i) / width + 0.5;
    const low = 0.5 - p.getY(i) / height;
    const phase = t * folds * Math.PI * 2 + Math.sin(t * 9 + seed) * 0.9;
    p.setZ(i, (Math.sin(phase) + 0.3 * Math.sin(phase * 0.47 + seed)) * depth * (0.55 + 0.45 * low));
    p.setX(i, p.getX(i) + Math.cos(phase) * depth * 0.25);
  }
  geometry.computeVertexNormals();
  const uv = geometry.attributes.uv;
  for (let i = 0; i < uv.count; i++) uv.setXY(i, uv.getX(i) * width * 1.5, uv.getY(i) * height);
  geometry.setAttribute('uv', new BufferAttribute(uv.array, 2));
  const material = sheer
    ? leafy('#fbf8f2', {
        transparent: true,
        opacity: 0.55,
        emissive: '#fff8ee',
        emissiveIntensity: 0.1,
        depthWrite: false,
      })
    : leafy(color, { map: cloth(color).map, color: '#ffffff', roughness: 0.95 });
  const mesh = solid(geometry, material, [0, height / 2, 0]);
  // Translucent: casting a shadow would darken the curtain itself.
  mesh.castShadow = false;
  return mesh;
}

/** Recessed downlights at `[x, z]` points under a ceiling: a glowing disc, a ring, a beam. */
export function downlights(stage, points, { height, candela = 6, color = '#ffecd6', angle = 0.75, glow = 9 }) {
  for (const [x, z] of points) {
    stage.light(
      beamSource({
        position: new Vector3(x, height - 0.04, z),
        target: new Vector3(x, 0, z),
        color,
        candela,
        angle,
      }),
    );
  }
  return points.flatMap(([x, z]) => [
    cylinder(plain('#f5f3ef', { roughness: 0.4 }), 0.065, 0.012, [x, height - 0.012, z]),
    cylinder(glowing(color, glow), 0.045, 0.004, [x, height - 0.016, z]),
  ]);
}

/**
 * A dropped ceiling ring with a hidden strip of light: the border hangs `drop` below the ceiling, `border` wide.
 */
export function cove(
  stage,
  { min, max, height, border = 0.7, drop = 0.22, color = '#ffe8cf', radiance = 5, material = plaster('#f4f2ee') },
) {
  const [x, z] = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2];
  const [w, d] = [max[0] - min[0], max[1] - min[1]];
  const y = height - drop;
  const thick = 0.1;
  const parts = [
    box(material, [w, thick, border], [x, y, min[1] + border / 2]),
    box(material, [w, thick, border], [x, y, max[1] - border / 2]),
    box(material, [border, thick, d - 2 * border], [min[0] + border / 2, y, z]),
    box(material, [border, thick, d - 2 * border], [max[0] - border / 2, y, z]),
  ];
  if (radiance <= 0) return parts;
  const strip = (centre, along, normal) =>
    areaSource({
      centre,
      u: along,
      v: new Vector3(0, 0.03, 0),
      normal: normal.add(new Vector3(0, 0.9, 0)),
      color,
      radiance,
    });
  const top = y + thick + 0.03;
  const inset = border - 0.12;
  stage.light(
    strip(new Vector3(x, top, min[1] + inset), new Vector3(w / 2 - border, 0, 0), new Vector3(0, 0, 1)),
    strip(new Vector3(x, top, max[1] - inset), new Vector3(w / 2 - border, 0, 0), new Vector3(0, 0, -1)),
    strip(new Vector3(min[0] + inset, top, z), new Vector3(0, 0, d / 2 - border), new Vector3(1, 0, 0)),
    strip(new Vector3(max[0] - inset, top, z), new Vector3(0, 0, d / 2 - border), new Vector3(-1, 0, 0)),
  );
  return parts;
}
