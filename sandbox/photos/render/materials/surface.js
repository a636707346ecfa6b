// Renders a surface function into a tiling colour map and normal map.
import { Color, DataTexture, LinearFilter, LinearMipmapLinearFilter, RepeatWrapping, SRGBColorSpace } from 'three';

function texture(data, size, tile) {
  const map = new DataTexture(data, size, size);
  map.wrapS = map.wrapT = RepeatWrapping;
  map.magFilter = LinearFilter;
  map.minFilter = LinearMipmapLinearFilter;
  map.generateMipmaps = true;
  map.anisotropy = 2;
  map.repeat.set(1 / tile, 1 / tile);
  map.needsUpdate = true;
  return map;
}

function normals(heights, size, relief) {
  const data = new Uint8Array(size * size * 4);
  const at = (x, y) => heights[((y + size) % size) * size + ((x + size) % size)];
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const dx = (at(x - 1, y) - at(x + 1, y)) * relief * size;
      const dy = (at(x, y - 1) - at(x, y + 1)) * relief * size;
      const length = Math.hypot(dx, dy, 1);
      const i = (y * size + x) * 4;
      data[i] = 127.5 + (127.5 * dx) / length;
      data[i + 1] = 127.5 + (127.5 * dy) / length;
      data[i + 2] = 127.5 + 127.5 / length;
      data[i + 3] = 255;
    }
  }
  return data;
}

/** Mixes two [r, g, b] colours. */
export const mix = (a, b, t) => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
export const scaled = (c, k) => [c[0] * k, c[1] * k, c[2] * k];
export const clamp01 = t => Math.min(1, Math.max(0, t));
/** '#rrggbb' as sRGB numbers in [0, 1]. */
export const rgb = hex => [1, 3, 5].map(i => Number.parseInt(hex.slice(i, i + 2), 16) / 255);

/**
 * `at(u, v)` returns `[r, g, b, height]` in sRGB for u and v in [0, 1); `tile` is the size of one repeat in metres,
 * `relief` the height as a share of it. Returns `{ map, normalMap, mean }`; the mean colour is linear.
 */
export function paintSurface({ size = 512, tile = 1, relief = 0, at }) {
  const data = new Uint8Array(size * size * 4);
  const heights = new Float32Array(size * size);
  const sum = [0, 0, 0];
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const [r, g, b, h] = at(x / size, y / size);
      const i = y * size + x;
      heights[i] = h ?? 0;
      [r, g, b].forEach((value, channel) => {
        data[i * 4 + channel] = clamp01(value) * 255;
        sum[channel] += clamp01(value);
      });
      data[i * 4 + 3] = 255;
    }
  }
  const map = texture(data, size, tile);
  map.colorSpace = SRGBColorSpace;
  const mean = new Color().setRGB(...sum.map(s => s / (size * size)), SRGBColorSpace);
  return { map, normalMap: relief > 0 ? texture(normals(heights, size, relief), size, tile) : null, mean };
}
