// Tiling gradient noise, the basis of all procedural surfaces.
import { seededRandom } from '../light/random.js';

const random = seededRandom(20);
const table = Uint8Array.from({ length: 256 }, (_, i) => i);
for (let i = 255; i > 0; i--) {
  const j = Math.floor(random() * (i + 1));
  [table[i], table[j]] = [table[j], table[i]];
}
const gradients = Float64Array.from({ length: 512 }, (_, i) =>
  (i % 2 ? Math.sin : Math.cos)((2 * Math.PI * (i >> 1)) / 256),
);
const hash = (x, y) => table[(table[x & 255] + y) & 255];
const smooth = t => t * t * t * (t * (t * 6 - 15) + 10);
const wrap = (i, period) => ((i % period) + period) % period;

/** Gradient noise in about [-0.7, 0.7] repeating every `px` × `py` units. */
export function noise(x, y, px = 256, py = px) {
  const [ix, iy] = [Math.floor(x), Math.floor(y)];
  const [fx, fy] = [x - ix, y - iy];
  const [x0, x1, y0, y1] = [wrap(ix, px), wrap(ix + 1, px), wrap(iy, py), wrap(iy + 1, py)];
  const [u, v] = [smooth(fx), smooth(fy)];
  const dot = (cx, cy, dx, dy) => {
    const g = hash(cx, cy) * 2;
    return gradients[g] * dx + gradients[g + 1] * dy;
  };
  const top = dot(x0, y0, fx, fy) * (1 - u) + dot(x1, y0, fx - 1, fy) * u;
  const bottom = dot(x0, y1, fx, fy - 1) * (1 - u) + dot(x1, y1, fx - 1, fy - 1) * u;
  return top * (1 - v) + bottom * v;
}

/** Octaves of noise, each with twice the frequency and half the amplitude; tiles like `noise`. */
export function fractal(x, y, octaves, px = 256, py = px) {
  let sum = 0;
  let strength = 1;
  for (let i = 0, f = 1; i < octaves; i++, f *= 2) {
    sum += strength * noise(x * f, y * f, px * f, py * f);
    strength *= 0.5;
  }
  return sum;
}

/** The fixed number in [0, 1) of a grid cell. */
export const cell = (x, y, salt = 0) => hash(hash(x & 255, y & 255), salt & 255) / 256;
