// Living rooms: glazing along the back, seating around a rug, an art or media wall on the left.
import { fluted, interior } from '../architecture/interior.js';
import { art, rug, screen, tray, vase } from '../furniture/decor.js';
import { arcLamp, floorLamp, ringChandelier } from '../furniture/lamps.js';
import { pottedPalm } from '../furniture/palms.js';
import { pot, pottedTree, tuft } from '../furniture/plants.js';
import { armchair, cornerSofa, loungeChair, ottoman, sofa } from '../furniture/seating.js';
import { cabinet, nestedTables, sideTable, slabTable } from '../furniture/tables.js';
import { cloth, floorboards, parquet, plain, stone, timber } from '../materials/library.js';

const STYLES = {
  /** Warm white and oak: a villa. */
  villa: {
    fabric: '#e3dccf',
    accents: ['#9a7b5c', '#c4b193'],
    chair: '#7f8a76',
    floor: () => floorboards('paleOak'),
    art: 'sand',
    media: () => timber('oak'),
    drapery: '#e6dfd2',
  },
  /** Stone, dark blue and brass: a tower at night. */
  penthouse: {
    fabric: '#8d8983',
    accents: ['#c7a36a', '#3f454d'],
    chair: '#3f5560',
    floor: () => stone('grey', { roughness: 0.14 }),
    art: 'ink',
    media: () => stone('nero', { slabs: 0 }),
    drapery: '#a59c90',
  },
  /** Light sand colours with blue. */
  coast: {
    fabric: '#efeae1',
    accents: ['#7fa0ac', '#2f5566'],
    chair: '#b9a78e',
    floor: () => parquet('ash'),
    art: 'sea',
    media: () => timber('ash'),
    drapery: '#eee9df',
  },
};

/** The seats around the rug, with side tables, lamps and plants. */
function seating(stage, s, { style, min, height, lamps }) {
  stage.add(
    rug({
      width: 4,
      depth: 2.9,
      at: [-0.1, 0, -0.5],
      light: style === 'penthouse' ? '#b6b0a7' : '#e2dacd',
      dark: style === 'penthouse' ? '#98928a' : '#cdc2b1',
    }),
  );
  const accents = s.accents.map(c => cloth(c));
  stage.add(
    cornerSofa({
      at: [-2.45, 0, -0.4],
      turn: Math.PI / 2,
      fabric: cloth(s.fabric),
      accents: [accents[0], accents[1], accents[1]],
      width: 3.4,
    }),
  );
  stage.add(
    nestedTables({
      at: [-0.35, 0.017, -0.25],
      top: stone(style === 'penthouse' ? 'nero' : 'calacatta'),
      turn: 0.4,
    }),
  );
  stage.add(
    armchair({ at: [1.75, 0, 0.35], turn: -1.95, fabric: cloth(s.chair) }),
    loungeChair({ at: [1.7, 0, -1.65], turn: -1.15, fabric: cloth(s.fabric) }),
  );
  stage.add(sideTable({ at: [2.15, 0, -0.65] }), vase({ at: [2.15, 0.5, -0.65], height: 0.2, stems: 6 }));
  stage.add(
    pottedTree({ at: [3.75, 0, -2.85], height: 2.15, count: 110 }),
    pottedPalm({ at: [-3.85, 0, -2.75], height: 1.9, count: 16 }),
  );
  stage.add(arcLamp(stage, { at: [-3.85, 0, 1.55], turn: 0.35, candela: 2.4 * lamps, reach: 1.6 }));
  stage.add(
    art({
      at: [min[0] + 0.01, 1.15, -0.4],
      turn: Math.PI / 2,
      width: 2.1,
      height: 1.35,
      palette: s.art,
      seed: 3,
    }),
  );
  stage.add(ottoman({ at: [0.2, 0.017, 1.15], size: [1.1, 0.4, 0.55], fabric: cloth(s.accents[0]) }));
  if (style === 'penthouse') stage.add(ringChandelier(stage, { at: [-0.2, 2.15, -0.3], ceiling: height, candela: 4 }));
}

export function living(
  stage,
  {
    style = 'villa',
    time = 'day',
    view = 'garden',
    storey,
    from = [3.5, 1.4, 3.5],
    to = [-0.9, 1.15, -2],
    degrees = 74,
    azimuth,
    elevation,
    dim,
    grade,
    ...looks
  },
) {
  const s = STYLES[style];
  const [min, max, height] = [[-4.4, -3.6], [4.4, 3.9], 3.1];
  const room = interior(stage, {
    min,
    max,
    height,
    time,
    view,
    storey,
    dim,
    azimuth,
    elevation,
    floor: s.floor(),
    drapery: s.drapery,
    sheer: style === 'coast',
    glassMirror: 'back',
    windows: [
      { side: 'back', from: -3.9, to: 4.0, head: 2.8, panes: 4 },
      ...(style === 'penthouse' ? [{ side: 'right', from: -3.2, to: 1.2, head: 2.8, panes: 2, bare: true }] : []),
    ],
    spots: [
      [-3.9, -2],
      [-3.9, 0],
      [-3.9, 2],
      [3.9, 2],
      [0, 3.4],
    ],
  });
  seating(stage, s, { style, min, height, lamps: room.lamps });
  return {
    ...stage.look({ from, to, degrees, ...looks }),
    grade: time === 'night' ? { key: 0.27, warmth: 0.07, bloom: 0.16, ...grade } : { key: 0.5, ...grade },
  };
}

/** The media wall, and the seats that face it. */
function mediaWall(stage, s, room) {
  stage.add(fluted({ from: -2.6, to: 2.6, z: 3.58, height: 2.78, material: s.media(), count: 52 }));
  stage.add(
    screen({ width: 1.9, at: [0, 1.05, 3.55], turn: Math.PI }),
    cabinet({
      at: [0, 0, 3.3],
      turn: Math.PI,
      width: 3.6,
      material: timber('walnut'),
      top: stone('calacatta'),
    }),
  );
  stage.add(rug({ width: 3.8, depth: 2.6, at: [-0.2, 0, 0.7], light: '#e7e0d4', dark: '#cfc6b7' }));
  stage.add(sofa({ at: [-0.2, 0, -0.8], fabric: cloth(s.fabric), width: 2.9, accents: s.accents.map(c => cloth(c)) }));
  stage.add(
    slabTable({ at: [-0.2, 0.017, 0.75], size: [1.3, 0.34, 0.75] }),
    armchair({ at: [2, 0, 0.9], turn: -1.6, fabric: cloth(s.chair) }),
    armchair({ at: [-2.5, 0, 1], turn: 1.5, fabric: cloth(s.chair) }),
  );
  stage.add(
    vase({ at: [-1.4, 0.65, 3.3], height: 0.3, stems: 10 }),
    tray({ at: [1.3, 0.65, 3.3] }),
    pottedTree({ at: [3.6, 0, 3], height: 2.2 }),
  );
  stage.add(
    floorLamp(stage, { at: [-3.3, 0, 2.9], candela: 4 * room.lamps }),
    tuft({
      at: [-3.7, 0, -2.9],
      base: 0.34,
      pot: pot(plain('#55514c'), 0.18, 0.36),
      height: 0.9,
      count: 16,
      width: 0.1,
      spread: 0.3,
    }),
  );
}

/** The other end of the room: a media wall, seen from the window. */
export function lounge(
  stage,
  {
    style = 'coast',
    time = 'day',
    view = 'sea',
    storey = 20,
    from = [2.9, 1.35, -2.9],
    to = [-1.2, 1.15, 2.4],
    degrees = 70,
    grade,
    ...looks
  },
) {
  const s = STYLES[style];
  const [min, max, height] = [[-4.2, -3.4], [4.2, 3.6], 3];
  const room = interior(stage, {
    min,
    max,
    height,
    time,
    view,
    storey,
    floor: s.floor(),
    drapery: s.drapery,
    windows: [
      { side: 'left', from: -2.9, to: 2.4, head: 2.7, panes: 3 },
      { side: 'back', from: -3.4, to: 3.4, head: 2.7, bare: true },
    ],
    azimuth: -1.9,
    elevation: 0.55,
    spots: [
      [-2, 3.2],
      [0, 3.2],
      [2, 3.2],
    ],
  });
  mediaWall(stage, s, room);
  return { ...stage.look({ from, to, degrees, ...looks }), grade: { key: 0.5, ...grade } };
}
