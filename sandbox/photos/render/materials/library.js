// The materials of the scenes; each is created once per page from its pattern.
import { Color, DoubleSide, MeshBasicMaterial, MeshPhysicalMaterial, MeshStandardMaterial } from 'three';
import * as patterns from './patterns.js';

const cache = new Map();
const once = (key, make) => {
  if (!cache.has(key)) cache.set(key, make());
  return cache.get(key);
};

function surfaced(surface, { roughness = 0.6, metalness = 0, normalScale = 1, tint = '#ffffff', ...rest } = {}) {
  const material = new MeshStandardMaterial({
    map: surface.map,
    normalMap: surface.normalMap,
    roughness,
    metalness,
    color: tint,
    ...rest,
  });
  material.normalScale.set(normalScale, normalScale);
  material.userData.albedo = surface.mean.clone().multiply(material.color);
  return material;
}

/** A plain painted or moulded surface. */
export const plain = (color, { roughness = 0.6, metalness = 0, ...rest } = {}) =>
  once(
    `plain ${color} ${roughness} ${metalness} ${JSON.stringify(rest)}`,
    () => new MeshStandardMaterial({ color, roughness, metalness, ...rest }),
  );

export const metal = (color = '#c9c6c0', roughness = 0.25) => plain(color, { roughness, metalness: 1 });
export const brass = () => metal('#c9a468', 0.28);
export const blackMetal = () => plain('#1b1b1c', { roughness: 0.42, metalness: 0.6 });

/** Something that shines with a constant radiance and is not lit: lamps, screens, lit sky. */
export const glowing = (color, radiance = 1) =>
  once(
    `glow ${color} ${radiance}`,
    () => new MeshBasicMaterial({ color: new Color(color).multiplyScalar(radiance), toneMapped: false }),
  );

/** Clear window or shower glass: mostly reflection. */
export const glass = ({ tint = '#dfeeee', opacity = 0.12 } = {}) =>
  once(
    `glass ${tint} ${opacity}`,
    () =>
      new MeshPhysicalMaterial({
        color: tint,
        roughness: 0.03,
        metalness: 0,
        transparent: true,
        opacity,
        depthWrite: false,
        side: DoubleSide,
      }),
  );

const WOODS = {
  oak: { light: '#c6a984', dark: '#a5845f' },
  paleOak: { light: '#d6c6ad', dark: '#bba787' },
  walnut: { light: '#7a5a41', dark: '#4a3122' },
  teak: { light: '#a98560', dark: '#7d5d40' },
  ash: { light: '#b9b0a3', dark: '#958a7c' },
  ebony: { light: '#3d332c', dark: '#241d18' },
};

export const floorboards = (wood = 'oak', roughness = 0.42) =>
  once(`boards ${wood}`, () => surfaced(patterns.boards(WOODS[wood]), { roughness }));
export const parquet = (wood = 'oak', roughness = 0.38) =>
  once(`parquet ${wood}`, () => surfaced(patterns.herringbone(WOODS[wood]), { roughness }));
export const timber = (wood = 'walnut', roughness = 0.45) =>
  once(`timber ${wood}`, () => surfaced(patterns.veneer(WOODS[wood]), { roughness }));
export const decking = () =>
  once('decking', () =>
    surfaced(patterns.boards({ ...WOODS.teak, rows: 12, tile: 1.7, gap: 0.06 }), { roughness: 0.7 }),
  );

const STONES = {
  calacatta: { ground: '#efece6', vein: '#9c9589', cloud: '#e0dbd2' },
  statuario: { ground: '#f1f0ee', vein: '#8e9195', cloud: '#e2e2e1' },
  crema: { ground: '#e2d3bb', vein: '#b3966c', cloud: '#d5c3a5', strength: 0.6 },
  grey: { ground: '#b9b6b1', vein: '#e4e1dc', cloud: '#9f9c97', strength: 0.7 },
  nero: { ground: '#26262a', vein: '#b3aea4', cloud: '#17181b' },
  emerald: { ground: '#1f3b33', vein: '#a9bfae', cloud: '#16302a' },
};

export const stone = (name = 'calacatta', { roughness = 0.16, tile = 2.4, slabs = 2 } = {}) =>
  once(`stone ${name} ${roughness} ${tile} ${slabs}`, () =>
    surfaced(patterns.marble({ ...STONES[name], tile, slabs }), { roughness }),
  );

export const plaster = (color = '#efece6') =>
  once(`plaster ${color}`, () => surfaced(patterns.mottled({ color, spread: 0.02, relief: 0 }), { roughness: 0.9 }));
export const concrete = (color = '#a9a6a1') =>
  once(`concrete ${color}`, () => surfaced(patterns.mottled({ color, spread: 0.16, tile: 3 }), { roughness: 0.75 }));
export const paving = (color = '#cfc7b8', slabs = 2, tile = 1.8) =>
  once(`paving ${color} ${slabs}`, () =>
    surfaced(patterns.mottled({ color, spread: 0.09, tile, slabs, relief: 0.0012 }), { roughness: 0.6 }),
  );
export const cladding = (colors = ['#b8a88f', '#a8977d', '#c4b69d', '#9a8b74']) =>
  once(`cladding ${colors}`, () => surfaced(patterns.courses({ colors }), { roughness: 0.9 }));
export const mosaic = (colors = ['#3f9db0', '#58b4c2', '#2e87a0', '#7cc7cd']) =>
  once(`mosaic ${colors}`, () => surfaced(patterns.mosaic({ colors }), { roughness: 0.25 }));

export const cloth = (color = '#d8d1c5', { coarse = 64, tile = 0.4 } = {}) =>
  once(`cloth ${color} ${coarse} ${tile}`, () =>
    surfaced(patterns.weave({ color, coarse, tile }), { roughness: 0.95, envMapIntensity: 0.4 }),
  );
export const leather = (color = '#8a5a3a') =>
  once(`leather ${color}`, () =>
    surfaced(patterns.mottled({ color, spread: 0.1, tile: 0.5, relief: 0.002 }), { roughness: 0.5 }),
  );
export const carpet = (light = '#d5cdc0', dark = '#b9b0a2', tile = 0.5) =>
  once(`carpet ${light} ${dark}`, () =>
    surfaced(patterns.pile({ light, dark, tile, relief: 0.03 }), { roughness: 1, envMapIntensity: 0.2 }),
  );
export const lawn = () =>
  once('lawn', () =>
    surfaced(patterns.pile({ light: '#7f9a4a', dark: '#48692b', tile: 1.3, relief: 0.03 }), {
      roughness: 1,
      envMapIntensity: 0.15,
    }),
  );

export const fairway = (tile = 9) =>
  once(`fairway ${tile}`, () =>
    surfaced(patterns.mown({ light: '#7f9d4c', dark: '#6f9043', tile }), {
      roughness: 1,
      envMapIntensity: 0.1,
    }),
  );

/** Leaves and sheers let light through: the shader knows them as TRANSLUCENT. */
export function leafy(color, { roughness = 0.6, ...rest } = {}) {
  return once(`leaf ${color} ${JSON.stringify(rest)}`, () => {
    const material = new MeshStandardMaterial({
      color,
      roughness,
      side: DoubleSide,
      envMapIntensity: 0.5,
      ...rest,
    });
    material.defines = { ...material.defines, TRANSLUCENT: '' };
    return material;
  });
}
