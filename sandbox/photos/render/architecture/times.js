// The times of day: colours of sky, haze and sun, and how bright each is beside the others.
import { Color, Vector3 } from 'three';

const toward = (azimuth, elevation) =>
  new Vector3(Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation), Math.cos(elevation) * Math.cos(azimuth));

const TIMES = {
  day: {
    zenith: '#2f6fbe', middle: '#7fb2e0', horizon: '#d6e6f0', haze: '#c9dbe8', cloud: '#ffffff', clouds: 0.42, radiance: 1,
    sunColor: '#fff1dc', sun: 4.2, elevation: 0.85, glow: '#fff6e0', lit: 0.0, facade: 1,
  },
  morning: {
    zenith: '#4a86c6', middle: '#9cc4e4', horizon: '#f3e8d6', haze: '#e6e1d6', cloud: '#fff6ea', clouds: 0.35, radiance: 0.95,
    sunColor: '#ffe2b8', sun: 4.4, elevation: 0.5, glow: '#ffe9c4', lit: 0.0, facade: 1,
  },
  sunset: {
    zenith: '#3d5e97', middle: '#b58a94', horizon: '#ffb26b', haze: '#eaa87a', cloud: '#ffc29a', clouds: 0.6, radiance: 0.62,
    sunColor: '#ffa860', sun: 2.6, elevation: 0.16, glow: '#ffcf86', lit: 0.16, facade: 0.62,
  },
  dusk: {
    zenith: '#14264f', middle: '#3d5a94', horizon: '#e3977a', haze: '#6a6f98', cloud: '#a27f96', clouds: 0.5, radiance: 0.2,
    sunColor: '#ff9a6a', sun: 0, elevation: -0.03, glow: '#ffb07a', lit: 0.42, facade: 0.24,
  },
  night: {
    zenith: '#04081a', middle: '#0a1230', horizon: '#2b2c4a', haze: '#171a34', cloud: '#2a2b44', clouds: 0.4, radiance: 0.07,
    sunColor: '#c8d4ff', sun: 0, elevation: -0.3, glow: '#40406a', lit: 0.5, facade: 0.05,
  },
};

/** The named time with the sun at `azimuth` radians (0 is +z, growing toward +x), its colours linear. */
export function timeOfDay(name, { azimuth = 0.8, elevation, ...changes } = {}) {
  const t = { ...TIMES[name], ...changes };
  const color = key => new Color(t[key]).multiplyScalar(t.radiance);
  return {
    ...t,
    name,
    zenithColor: color('zenith'),
    middleColor: color('middle'),
    horizonColor: color('horizon'),
    hazeColor: color('haze'),
    cloudColor: color('cloud'),
    glowColor: color('glow'),
    sunDirection: toward(azimuth, elevation ?? t.elevation),
    sunRadiance: new Color(t.sunColor).multiplyScalar(t.sun),
  };
}
