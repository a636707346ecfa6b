// Beds, bedside tables, wardrobes.
import { brass, cloth, leather, stone, timber } from '../materials/library.js';
import { assembly, box, cushion, cylinder, tilted } from '../shapes.js';

/** A made bed with its head at -z: `width` metres, a panelled headboard `wide` metres across. */
export function bed({
  width = 1.9,
  wide = 3.4,
  frame = cloth('#b7a894'),
  linen = cloth('#f3f0ea'),
  blanket = cloth('#a08a72'),
  accents = [],
  headHeight = 1.25,
  at,
  turn,
}) {
  const length = 2.1;
  const panels = Math.round(wide / 0.48);
  const head = Array.from({ length: panels }, (_, i) =>
    cushion(
      frame,
      [wide / panels - 0.008, headHeight, 0.1],
      [-wide / 2 + (wide * (i + 0.5)) / panels, 0.1, -length / 2 - 0.1],
      0.3,
    ),
  );
  const pillow = (x, z, lean, size, material) =>
    tilted(cushion(material, [size, 0.46, 0.17], [x, 0.57, z], 0.6), { x: lean });
  return assembly(
    [
      head,
      box(frame, [width + 0.12, 0.28, length + 0.04], [0, 0.08, 0], 0.05),
      box(linen, [width, 0.24, length - 0.06], [0, 0.32, 0], 0.09),
      cushion(linen, [width + 0.14, 0.2, length - 0.55], [0, 0.41, 0.26], 0.1),
      box(linen, [width + 0.17, 0.3, length - 0.6], [0, 0.27, 0.28], 0.06),
      cushion(linen, [width + 0.15, 0.1, 0.34], [0, 0.55, -0.38], 0.3),
      cushion(blanket, [width + 0.19, 0.07, 0.62], [0, 0.575, 0.72], 0.2),
      box(blanket, [width + 0.2, 0.34, 0.6], [0, 0.26, 0.72], 0.05),
      [-1, 1].map(s => [
        pillow((s * width) / 4, -length / 2 + 0.16, -0.28, width / 2 - 0.12, linen),
        pillow((s * width) / 4, -length / 2 + 0.34, -0.42, width / 2 - 0.16, linen),
      ]),
      accents.map((material, i) =>
        tilted(
          cushion(
            material,
            [0.5 - i * 0.06, 0.42 - i * 0.08, 0.14],
            [(i - (accents.length - 1) / 2) * 0.44, 0.58, -length / 2 + 0.53 + i * 0.04],
            0.6,
          ),
          { x: -0.5 },
        ),
      ),
    ],
    at,
    turn,
  );
}

export const bedside = ({ material = timber('walnut'), at, turn }) =>
  assembly(
    [
      box(material, [0.55, 0.3, 0.42], [0, 0.18, 0], 0.012),
      box(material, [0.53, 0.135, 0.02], [0, 0.19, 0.21], 0.004),
      box(material, [0.53, 0.135, 0.02], [0, 0.333, 0.21], 0.004),
      box(stone('crema', { slabs: 0 }), [0.57, 0.02, 0.44], [0, 0.48, 0], 0.004),
      [-1, 1].map(s => cylinder(brass(), 0.01, 0.18, [s * 0.22, 0, 0.1], { sides: 10 })),
    ],
    at,
    turn,
  );

/** A low bench for the end of a bed. */
export const bedBench = ({ at, turn, material = leather('#a58565') }) =>
  assembly(
    [
      cushion(material, [1.4, 0.12, 0.42], [0, 0.36, 0], 0.15),
      [-0.6, 0.6].map(x => box(brass(), [0.03, 0.36, 0.36], [x, 0, 0])),
    ],
    at,
    turn,
  );
