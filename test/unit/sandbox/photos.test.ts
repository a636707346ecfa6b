// The sandbox's photos are committed: checks their names, dimensions and file sizes, which listings rely on.
import { readdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../../sandbox/photos/', import.meta.url));
const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${String(i + 1).padStart(2, '0')}.jpg`);

const rooms = numbered('', 27);
const large = numbered('big', 3);
const agents = numbered('agent', 6);
const plans = numbered('plan', 2);
const portraits = ['14.jpg', '18.jpg', '22.jpg', '27.jpg'];

function pixels(name: string): { width: number; height: number } {
  if (agents.includes(name)) return { width: 600, height: 600 };
  if (plans.includes(name))
    return name === 'plan01.jpg' ? { width: 2028, height: 1416 } : { width: 1188, height: 1584 };
  if (large.includes(name)) return { width: 4000, height: 3000 };
  return portraits.includes(name) ? { width: 1280, height: 1920 } : { width: 1920, height: 1280 };
}

describe('the sandbox photos', () => {
  it('are exactly the expected files', async () => {
    const found = (await readdir(folder)).filter(name => name.endsWith('.jpg'));
    expect(found.sort()).toEqual([...rooms, ...agents, ...large, ...plans].sort());
  });

  it.each([...rooms, ...large, ...agents, ...plans])(
    '%s is a JPEG with the expected dimensions, below 900 kB and without metadata',
    async name => {
      const { format, width, height, exif, icc, xmp } = await sharp(`${folder}${name}`).metadata();
      expect({ format, width, height }).toEqual({ format: 'jpeg', ...pixels(name) });
      expect([exif, icc, xmp]).toEqual([undefined, undefined, undefined]);
      expect((await stat(`${folder}${name}`)).size).toBeLessThan(900_000);
    },
  );
});
