// Decoration: art, rugs, vases, books, bowls, screens, trays.
import { MeshStandardMaterial, PlaneGeometry, Vector3 } from 'three';
import { seededRandom } from '../light/random.js';
import { blackMetal, carpet, leafy, metal, plain } from '../materials/library.js';
import { fractal } from '../materials/noise.js';
import { clamp01, mix, paintSurface, rgb } from '../materials/surface.js';
import { assembly, ball, box, solid, tube, turned } from '../shapes.js';

const PALETTES = {
  sand: ['#e9e1d3', '#c9b08b', '#8f6f4e', '#3b3430', '#f6f1e8'],
  sea: ['#eae7df', '#7fa3ad', '#2f5566', '#c9b491', '#f7f4ee'],
  clay: ['#efe5da', '#c4795a', '#7c3f33', '#e0b48f', '#2f2a2a'],
  ink: ['#efeeea', '#9b9a98', '#3c3d42', '#15161a', '#d3c7b4'],
  olive: ['#eae6d8', '#9aa07a', '#4e5a3d', '#c9a869', '#2f332b'],
};

/** An abstract painting: wide colour fields with soft edges. */
function painting(palette, seed) {
  const colors = PALETTES[palette].map(rgb);
  const random = seededRandom(seed * 97);
  const fields = Array.from({ length: 5 }, (_, i) => ({
    x: random(),
    y: random(),
    w: 0.16 + random() * 0.3,
    h: 0.08 + random() * 0.26,
    c: colors[(i + 1) % 5],
  }));
  const surface = paintSurface({
    size: 512,
    relief: 0.002,
    at(u, v) {
      const warp = fractal(u * 4 + seed, v * 4, 4) * 0.13;
      const brush = fractal(u * 60 + warp * 30, v * 6 + seed, 3) * 0.5;
      let c = mix(colors[0], colors[4], clamp01(0.5 + warp * 3));
      for (const f of fields) {
        const inside =
          Math.min(f.w - Math.abs(u - f.x + warp), f.h - Math.abs(v - f.y + warp * 0.7)) * 26 + brush * 1.5;
        c = mix(c, f.c, clamp01(inside) * 0.9);
      }
      return [...mix(c, [1, 1, 1], clamp01(brush * 0.16)), brush];
    },
  });
  surface.map.repeat.set(1, 1);
  surface.normalMap.repeat.set(1, 1);
  const material = new MeshStandardMaterial({
    map: surface.map,
    normalMap: surface.normalMap,
    roughness: 0.8,
  });
  material.userData.albedo = surface.mean;
  return material;
}

/** A framed picture with its back at `at`, facing +z. */
export function art({ width = 1.2, height = 1.2, palette = 'sand', seed = 1, frame = blackMetal(), at, turn }) {
  const canvas = solid(new PlaneGeometry(width - 0.04, height - 0.04), painting(palette, seed), [0, height / 2, 0.046]);
  canvas.castShadow = false;
  return assembly([box(frame, [width, height, 0.04], [0, 0, 0.02]), canvas], at, turn);
}

/** A rug with a border or band pattern. */
export function rug({ width = 3, depth = 2.2, light = '#ddd5c7', dark = '#c7bcaa', at = [0, 0, 0], turn = 0 }) {
  return assembly(
    [
      box(carpet(light, dark, 0.7), [width, 0.016, depth], [0, 0, 0], 0.007),
      box(carpet(dark, dark, 0.7), [width - 0.16, 0.0165, depth - 0.16], [0, 0, 0], 0.007),
      box(carpet(light, dark, 0.7), [width - 0.22, 0.0172, depth - 0.22], [0, 0, 0], 0.007),
    ],
    at,
    turn,
  );
}

const COVERS = ['#f0ece4', '#b7a58a', '#39424a', '#9b5b43', '#d9d3c8'];

/** A small stack of large books. */
export const books = (at, turn = 0) =>
  assembly(
    [0, 1, 2].map(i => {
      const b = box(
        plain(COVERS[(i * 2 + Math.round(Math.abs(turn) * 10)) % 5], { roughness: 0.7 }),
        [0.3 - i * 0.03, 0.032, 0.23 - i * 0.02],
        [0, i * 0.033, 0],
        0.004,
      );
      b.rotation.y = i * 0.17 - 0.1;
      return b;
    }),
    at,
    turn,
  );

/** A vase; `stems` adds blossom or eucalyptus. */
export function vase({ at, height = 0.3, material, stems = 9, color = '#8fa27c', seed = 3 }) {
  const random = seededRandom(seed * 31);
  const h = height;
  const glaze = material ?? plain(['#ece7de', '#c9bda9', '#4a4f4f', '#b98b6b'][seed % 4], { roughness: 0.45 });
  const body = turned(
    glaze,
    [
      [0, 0],
      [h * 0.2, 0],
      [h * 0.34, h * 0.22],
      [h * 0.36, h * 0.42],
      [h * 0.22, h * 0.78],
      [h * 0.13, h * 0.92],
      [h * 0.17, h],
      [h * 0.14, h],
      [h * 0.1, h * 0.9],
    ],
    [0, 0, 0],
  );
  const sprays = Array.from({ length: stems }, () => {
    const angle = random() * Math.PI * 2;
    const reach = h * (0.3 + random() * 0.6);
    const top = new Vector3(Math.cos(angle) * reach, h * (1.5 + random() * 0.9), Math.sin(angle) * reach);
    const stem = tube(leafy('#6d6a4c'), [[0, h * 0.8, 0], [top.x * 0.4, h * 1.3, top.z * 0.4], top.toArray()], 0.003);
    const sprigs = Array.from({ length: 12 }, (_, i) => {
      const t = 0.35 + (0.65 * i) / 12;
      const leaf = ball(
        leafy(color),
        0.026 * (0.7 + random() * 0.6),
        [
          top.x * t * t + (random() - 0.5) * 0.05,
          h * 0.9 + (top.y - h * 0.9) * t,
          top.z * t * t + (random() - 0.5) * 0.05,
        ],
        8,
      );
      leaf.scale.set(1, 0.35, 0.8);
      leaf.rotation.set(random() * 3, random() * 3, random() * 3);
      return leaf;
    });
    return [stem, sprigs];
  });
  return assembly([body, sprays], at);
}

/** A bowl of fruit. */
export function fruitBowl({ at, color = '#d98b2b' }) {
  const bowl = turned(
    plain('#e9e5dc', { roughness: 0.35 }),
    [
      [0, 0],
      [0.07, 0],
      [0.16, 0.07],
      [0.18, 0.11],
      [0.17, 0.11],
      [0.14, 0.06],
      [0, 0.02],
    ],
    [0, 0, 0],
  );
  const spots = [
    [0, 0.07, 0],
    [0.08, 0.09, 0.03],
    [-0.08, 0.09, 0.02],
    [0.02, 0.09, -0.08],
    [0, 0.1, 0.08],
    [0.01, 0.15, 0],
  ];
  return assembly(
    [bowl, spots.map((p, i) => ball(plain(i % 3 === 2 ? '#8aa63c' : color, { roughness: 0.5 }), 0.045, p, 20))],
    at,
  );
}

/** A wall television, dark and slightly reflective. */
export const screen = ({ width = 1.7, at, turn }) =>
  assembly([box(plain('#0b0c0e', { roughness: 0.12 }), [width, width * 0.5625, 0.035], [0, 0, 0.03], 0.006)], at, turn);

/** A tray with candles or bottles. */
export const tray = ({ at, turn, color = '#2c2622' }) =>
  assembly(
    [
      box(plain(color, { roughness: 0.5 }), [0.42, 0.02, 0.28], [0, 0, 0], 0.008),
      turned(
        plain('#f3efe7', { roughness: 0.5 }),
        [
          [0, 0],
          [0.04, 0],
          [0.045, 0.1],
          [0.03, 0.12],
          [0.012, 0.14],
          [0.012, 0.18],
          [0, 0.18],
        ],
        [-0.1, 0.02, 0],
      ),
      turned(
        metal('#b8935a', 0.3),
        [
          [0, 0],
          [0.035, 0],
          [0.035, 0.08],
          [0, 0.08],
        ],
        [0.08, 0.02, 0.04],
      ),
    ],
    at,
    turn,
  );
