// The times of day: colours and relative brightness of sky, haze and sun.
import { Color, Vector3 } from 'three';

const toward = (azimuth, elevation) =>
  new Vector3(Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation), Math.cos(elevation) * Math.cos(azimuth));

const TIMES = {
  day: {
    zenith: '#4c86c6',
    middle: '#8fbbe2',
    horizon: '#d6e6f0',
    haze: '#c9dbe8',
    cloud: '#ffffff',
    clouds: 0.42,
    radiance: 1,
    sunColor: '#fff1dc',
    sun: 4.2,
    elevation: 0.85,
    glow: '#fff6e0',
    lit: 0,
    lamp: 0.5,
  },
  morning: {
    zenith: '#4a86c6',
    middle: '#9cc4e4',
    horizon: '#f3e8d6',
    haze: '#e6e1d6',
    cloud: '#fff6ea',
    clouds: 0.35,
    radiance: 0.95,
    sunColor: '#ffe2b8',
    sun: 4.4,
    elevation: 0.5,
    glow: '#ffe9c4',
    lit: 0,
    lamp: 0.5,
  },
  sunset: {
    zenith: '#3f68a6',
    middle: '#a9a3b8',
    horizon: '#ffc48c',
    haze: '#d9b09a',
    cloud: '#ffcfae',
    clouds: 0.5,
    radiance: 0.62,
    sunColor: '#ffc79a',
    sun: 2.4,
    elevation: 0.16,
    glow: '#ffcf86',
    lit: 0.1,
    lamp: 0.5,
  },
  dusk: {
    zenith: '#16305f',
    middle: '#44689f',
    horizon: '#e8a488',
    haze: '#6d7799',
    cloud: '#8d86a6',
    clouds: 0.36,
    radiance: 0.2,
    sunColor: '#ff9a6a',
    sun: 0,
    elevation: -0.03,
    glow: '#ffb07a',
    lit: 0.2,
    lamp: 0.42,
  },
  night: {
    zenith: '#0d1f55',
    middle: '#20387c',
    horizon: '#6a6c9c',
    haze: '#2d3a70',
    cloud: '#3f4778',
    clouds: 0.4,
    radiance: 0.09,
    sunColor: '#c8d4ff',
    sun: 0,
    elevation: -0.3,
    glow: '#40406a',
    lit: 0.24,
    lamp: 0.6,
  },
};

/** The named time with the sun at `azimuth` radians (0 is +z, growing toward +x); colours are linear. */
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
