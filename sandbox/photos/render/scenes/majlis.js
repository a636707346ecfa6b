// A majlis: low seating along three walls, lit lattices, a large rug.
import { interior } from '../architecture/interior.js';
import { art, rug, tray, vase } from '../furniture/decor.js';
import { ledStrip, ringChandelier, sconce } from '../furniture/lamps.js';
import { ottoman } from '../furniture/seating.js';
import { sideTable } from '../furniture/tables.js';
import { brass, cloth, plain, plaster, stone, timber } from '../materials/library.js';
import { assembly, box, cushion, tilted } from '../shapes.js';

const DIWAN = { seat: '#d9cbb3', back: '#cdbb9d', bolster: ['#7c3f33', '#2f5566', '#b08d5c'] };

/** A run of majlis seating `length` metres long, facing +z. */
function diwan(length, at, turn) {
  const units = Math.round(length / 0.9);
  const unit = length / units;
  const parts = [box(timber('walnut'), [length, 0.12, 0.86], [0, 0, 0], 0.01)];
  for (let i = 0; i < units; i++) {
    const x = -length / 2 + unit * (i + 0.5);
    parts.push(cushion(cloth(DIWAN.seat), [unit - 0.01, 0.24, 0.84], [x, 0.12, 0], 0.12));
    parts.push(tilted(cushion(cloth(DIWAN.back), [unit - 0.02, 0.44, 0.18], [x, 0.34, -0.3], 0.35), { x: -0.16 }));
    if (i % 2 === 0)
      parts.push(
        tilted(
          cushion(
            cloth(DIWAN.bolster[(i / 2) % 3], { coarse: 24 }),
            [0.44, 0.4, 0.13],
            [x + unit * 0.3, 0.36, -0.08],
            0.7,
          ),
          { x: -0.4, y: 0.2 },
        ),
      );
  }
  return assembly(parts, at, turn);
}

/** A lattice screen (mashrabiya) of `cells` squares, lit from behind. */
function lattice({ width, height, cells, at }) {
  const wood = timber('walnut');
  const step = width / cells;
  const parts = [
    box(plain('#f7e3c2', { emissive: '#ffcf98', emissiveIntensity: 0.55 }), [width, height, 0.02], [0, 0, -0.06]),
  ];
  for (let i = 0; i <= cells; i++) parts.push(box(wood, [0.025, height, 0.03], [-width / 2 + i * step, 0, 0]));
  const rows = Math.round(height / step);
  for (let r = 0; r <= rows; r++) parts.push(box(wood, [width, 0.025, 0.03], [0, (height - 0.025) * (r / rows), 0]));
  for (let r = 0; r < rows; r++)
    for (let i = 0; i < cells; i++) {
      const star = box(
        wood,
        [step * 0.62, 0.022, 0.025],
        [-width / 2 + (i + 0.5) * step, (height * (r + 0.5)) / rows, 0],
      );
      star.rotation.z = Math.PI / 4;
      const other = star.clone();
      other.rotation.z = -Math.PI / 4;
      parts.push(star, other);
    }
  return assembly(parts, at);
}

/** Lattices, seats along three walls, and the objects between them. */
function furnishMajlis(stage, { min, height, lamps }) {
  stage.add([-2.75, 2.75].map(x => lattice({ width: 1.5, height: 2.6, cells: 6, at: [x, 0.2, min[1] + 0.12] })));
  stage.add(
    art({ at: [0, 1.25, min[1] + 0.02], width: 1.7, height: 1.2, palette: 'clay', seed: 8, frame: brass() }),
    [-1.25, 1.25].map(x => sconce(stage, { at: [x, 1.7, min[1]], candela: 3 * lamps })),
  );
  stage.add(
    diwan(5.4, [0, 0, -2.75]),
    diwan(3.6, [3.25, 0, -0.2], -Math.PI / 2),
    diwan(3.6, [-3.2, 0, -0.2], Math.PI / 2),
  );
  stage.add(
    rug({ width: 4.6, depth: 3.2, at: [0, 0, -0.3], light: '#9c4f3d', dark: '#c9a87c' }),
    ottoman({ at: [0, 0.017, -0.4], size: [1.3, 0.4, 1.3], fabric: cloth('#b79a72') }),
    tray({ at: [0, 0.43, -0.35], turn: 0.4, color: '#b8935a' }),
  );
  stage.add(
    [
      [2.7, -2.7],
      [-2.75, -2.7],
    ].map(([x, z]) => [
      sideTable({ at: [x, 0, z + 0.75], top: timber('walnut'), radius: 0.22 }),
      vase({ at: [x, 0.5, z + 0.75], height: 0.18, stems: 4 }),
    ]),
    ringChandelier(stage, {
      at: [0, 2.25, -0.3],
      ceiling: height,
      radii: [0.8, 0.55],
      candela: 8 * lamps,
    }),
  );
  stage.add(
    ledStrip(stage, {
      from: [-2.6, 2.85, min[1] + 0.15],
      to: [2.6, 2.85, min[1] + 0.15],
      normal: [0, -1, 0.2],
      radiance: 8 * lamps,
      visible: false,
    }),
  );
}

export function majlis(stage, { time = 'sunset', grade }) {
  const [min, max, height] = [[-3.9, -3.4], [3.9, 3.9], 3.2];
  const room = interior(stage, {
    min,
    max,
    height,
    time,
    view: 'garden',
    floor: stone('crema', { roughness: 0.15 }),
    gloss: 0.012,
    paint: '#e6dac6',
    drapery: '#b79a72',
    coveLight: 1.6,
    azimuth: -1.9,
    elevation: 0.4,
    windows: [{ side: 'left', from: -1.6, to: 2.8, head: 2.7, panes: 2 }],
    finishes: { back: plaster('#dccbb0') },
    spots: [
      [-2, -2.9],
      [0, -2.9],
      [2, -2.9],
      [3.2, 0],
      [3.2, 1.8],
    ],
  });
  furnishMajlis(stage, { min, height, lamps: room.lamps });
  return {
    ...stage.look({ from: [-0.9, 1.5, 3.7], to: [0.15, 1.0, -2], degrees: 76 }),
    grade: { key: 0.32, ...grade },
  };
}
