// Surface patterns: wood, stone, tiles, cloth, grass, water; each returns colour and height of a point.
import { cell, fractal, noise } from './noise.js';
import { clamp01, mix, paintSurface, rgb, scaled } from './surface.js';

const edge = (t, width) => clamp01(Math.min(t, 1 - t) / width);

/** Straight-grained timber; `across` is perpendicular to the grain. */
function grain(along, across, seed) {
  const waver = fractal(along * 3 + seed * 17, across * 4 + seed * 31, 2) * 0.12;
  const rings = fractal((across + waver) * 22 + seed * 13, along * 1.2 + seed * 7, 4);
  const pores = noise(across * 190 + seed * 41, along * 9 + seed * 3);
  return { tone: rings * 0.8 + pores * 0.22, pores };
}

/** Floorboards; one repeat is `tile` metres and contains `rows` boards. */
export function boards({ light, dark, rows = 8, tile = 1.6, gap = 0.02 }) {
  const [a, b] = [rgb(light), rgb(dark)];
  return paintSurface({
    size: 1024,
    tile,
    relief: 0.0015,
    at(u, v) {
      const row = Math.floor(v * rows);
      const shift = cell(row, 3) + u;
      const board = Math.floor(shift);
      const seed = cell(row, board, 9);
      const { tone, pores } = grain(u * tile * 0.6, (v - row / rows) * tile * 0.9 + seed * 3, seed);
      const joint = Math.min(edge(v * rows - row, gap), edge(shift - board, gap / rows));
      const c = scaled(mix(a, b, clamp01(0.4 + tone * 0.85 + (seed - 0.5) * 0.5)), 0.45 + 0.55 * joint);
      return [...c, joint + pores * 0.1];
    },
  });
}

/** Herringbone parquet laid at 45 degrees to the uv axes. */
export function herringbone({ light, dark, tile = 1.2 }) {
  const [a, b] = [rgb(light), rgb(dark)];
  const [n, ratio] = [12, 4];
  return paintSurface({
    size: 1024,
    tile,
    relief: 0.001,
    at(u, v) {
      const [x, y] = [u * n, v * n];
      const [i, j] = [Math.floor(x), Math.floor(y)];
      const phase = (((i - j) % (2 * ratio)) + 2 * ratio) % (2 * ratio);
      const level = phase < ratio;
      const [along, across] = level ? [x - i + phase, y - j] : [y - j + (2 * ratio - 1 - phase), x - i];
      const seed = level ? cell(i - phase, j, 1) : cell(i, j - (2 * ratio - 1 - phase), 2);
      const { tone } = grain(along * 0.1, across * 0.1 + seed * 3, seed);
      const joint = Math.min(edge(across, 0.05), edge(along / ratio, 0.05 / ratio));
      return [...scaled(mix(a, b, clamp01(0.45 + tone * 0.7 + (seed - 0.5) * 0.5)), 0.6 + 0.4 * joint), joint];
    },
  });
}

/** A continuous veneer, its grain along v. */
export function veneer({ light, dark, tile = 1.4 }) {
  const [a, b] = [rgb(light), rgb(dark)];
  return paintSurface({
    size: 512,
    tile,
    relief: 0.0006,
    at(u, v) {
      const bend = noise(u * 3, v * 2, 3, 2) * 0.05;
      const tone = fractal((u + bend) * 24, v * 2, 4, 24, 2) * 0.9 + noise(u * 256, v * 8, 256, 8) * 0.2;
      return [...mix(a, b, clamp01(0.45 + tone)), tone];
    },
  });
}

/** Veined stone in slabs of `slab` metres (0 for no joints). */
export function marble({ ground, vein, cloud, tile = 2.4, slabs = 2, strength = 1 }) {
  const [g, w, k] = [rgb(ground), rgb(vein), rgb(cloud)];
  return paintSurface({
    size: 1024,
    tile,
    at(u, v) {
      const wx = fractal(u * 3, v * 3, 4, 3) * 0.5;
      const wy = fractal(u * 3 + 1.7, v * 3 + 5.1, 4, 3) * 0.5;
      const ridge = 1 - Math.abs(fractal(u * 2 + v + wx * 0.7, v * 2 - u + wy * 0.7, 3, 2)) * 2.4;
      const fine = 1 - Math.abs(fractal(u * 5 + wy, v * 5 + wx, 3, 5)) * 3;
      const clouds = clamp01(0.5 + fractal(u * 4 + wx, v * 4 + wy, 4, 4));
      let c = mix(g, k, clouds * 0.55);
      c = mix(c, w, clamp01(clamp01(ridge) ** 16 * 0.8 + clamp01(fine) ** 22 * 0.3) * strength);
      const joint = slabs > 0 ? Math.min(edge((u * slabs) % 1, 0.0022), edge((v * slabs) % 1, 0.0022)) : 1;
      return scaled(c, 0.72 + 0.28 * joint);
    },
  });
}

/** Plaster, concrete, limestone: a mottled surface, in tiles when `slabs` is set. */
export function mottled({ color, spread = 0.06, tile = 2, slabs = 0, relief = 0.0006, fine = 1 }) {
  const base = rgb(color);
  return paintSurface({
    size: 512,
    tile,
    relief,
    at(u, v) {
      const tone = fractal(u * 5, v * 5, 5, 5) * spread + noise(u * 128, v * 128, 128) * spread * 0.5 * fine;
      const seed = slabs ? (cell(Math.floor(u * slabs), Math.floor(v * slabs), 4) - 0.5) * spread : 0;
      const joint = slabs ? Math.min(edge((u * slabs) % 1, 0.006), edge((v * slabs) % 1, 0.006)) : 1;
      return [...scaled(base, (1 + tone + seed) * (0.75 + 0.25 * joint)), joint + tone * fine];
    },
  });
}

/** Woven cloth with irregularities; `coarse` threads per repeat. */
export function weave({ color, tile = 0.4, coarse = 64, spread = 0.12, relief = 0.004 }) {
  const base = rgb(color);
  return paintSurface({
    size: 512,
    tile,
    relief,
    at(u, v) {
      const [x, y] = [u * coarse, v * coarse];
      const over = (Math.floor(x) + Math.floor(y)) % 2;
      const thread = over ? Math.sin((y % 1) * Math.PI) : Math.sin((x % 1) * Math.PI);
      const tone = fractal(u * 8, v * 8, 4, 8) * spread * 0.35 + (cell(x, y, over) - 0.5) * spread;
      return [...scaled(base, 0.86 + 0.14 * thread + tone), thread * 0.6 + tone];
    },
  });
}

/** Lawn or thick pile: short strokes of several tones. */
export function pile({ light, dark, tile = 1.2, relief = 0.02 }) {
  const [a, b] = [rgb(light), rgb(dark)];
  return paintSurface({
    size: 512,
    tile,
    relief,
    at(u, v) {
      const strokes = noise(u * 128 + noise(u * 16, v * 16, 16) * 3, v * 64, 128, 64) + noise(u * 64, v * 128, 64, 128);
      const patches = fractal(u * 4, v * 4, 3, 4);
      return [...mix(a, b, clamp01(0.5 + strokes * 0.55 + patches * 0.35)), strokes];
    },
  });
}

/** Mown turf in bands of two tones, each half of `tile` wide. */
export function mown({ light, dark, tile = 9 }) {
  const [a, b] = [rgb(light), rgb(dark)];
  return paintSurface({
    size: 512,
    tile,
    at(u, v) {
      const band = clamp01(0.5 + Math.sin(u * Math.PI * 2) * 6);
      const tone = fractal(u * 48, v * 48, 3, 48) * 0.25 + fractal(u * 4, v * 4, 3, 4) * 0.2;
      return scaled(mix(a, b, band), 1 + tone);
    },
  });
}

/** Small square mosaic, for pools and showers. */
export function mosaic({ colors, count = 32, tile = 1.2 }) {
  const palette = colors.map(rgb);
  return paintSurface({
    size: 1024,
    tile,
    relief: 0.002,
    at(u, v) {
      const [i, j] = [Math.floor(u * count), Math.floor(v * count)];
      const joint = Math.min(edge((u * count) % 1, 0.08), edge((v * count) % 1, 0.08));
      const c = scaled(palette[Math.floor(cell(i, j, 5) * palette.length)], 0.9 + cell(i, j, 6) * 0.2);
      return [...mix(rgb('#dfe6e4'), c, joint), joint];
    },
  });
}

/** Split-face stone or brick in running courses. */
export function courses({ colors, rows = 14, perRow = 4, tile = 1.4, relief = 0.012 }) {
  const palette = colors.map(rgb);
  return paintSurface({
    size: 1024,
    tile,
    relief,
    at(u, v) {
      const row = Math.floor(v * rows);
      const x = u * perRow + cell(row, 1) * perRow;
      const stone = Math.floor(x) % perRow;
      const joint = Math.min(edge((v * rows) % 1, 0.07), edge(x % 1, 0.02));
      const rough = fractal(u * 24, v * 24, 4, 24);
      const c = palette[Math.floor(cell(row, stone, 7) * palette.length)];
      return [
        ...scaled(c, (0.9 + rough * 0.3) * (0.5 + 0.5 * joint)),
        joint * (0.6 + cell(row, stone, 8) * 0.5) + rough * 0.25,
      ];
    },
  });
}

/** Waves of water; only the height is used. */
export function waves({ tile = 4, relief = 0.006, stretch = 1 }) {
  return paintSurface({
    size: 512,
    tile,
    relief,
    at: (u, v) => [1, 1, 1, fractal(u * 6 * stretch + noise(u * 3, v * 3, 3), v * 6, 4, 6 * stretch, 6)],
  }).normalMap;
}
