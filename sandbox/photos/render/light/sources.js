// Light sources of a scene, and the virtual lights (direct and bounced) that represent them in each frame.
import { Color, Raycaster, Vector3 } from 'three';
import { onDisc, shuffled } from './random.js';

const luminance = c => 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
const PORTAL_ANGLE = 1.32;

/** A rectangular source (window, strip, panel): `u` and `v` are half its sides; emits along `normal`. */
export function areaSource({ centre, u, v, normal, color, radiance }) {
  const area = 4 * u.length() * v.length();
  const c = new Color(color).multiplyScalar(radiance);
  return {
    kind: 'area',
    centre,
    u,
    v,
    normal: normal.clone().normalize(),
    intensity: c.multiplyScalar(area),
    flux: Math.PI,
  };
}

/** A ball or lamp shade that emits in all directions. */
export function globeSource({ position, color, candela }) {
  return { kind: 'globe', position, intensity: new Color(color).multiplyScalar(4 * candela), flux: Math.PI };
}

/** A downlight or wall washer with a half beam angle of `angle` radians. */
export function beamSource({ position, target, color, candela, angle }) {
  const intensity = new Color(color).multiplyScalar(candela);
  return { kind: 'beam', position, target, angle, intensity, flux: Math.PI * Math.sin(angle) ** 2 };
}

/** The sun: `direction` points to it; `irradiance` applies to a surface that faces it. */
export function sunSource({ direction, color, irradiance, blur = 0.012 }) {
  return {
    kind: 'sun',
    direction: direction.clone().normalize(),
    color: new Color(color).multiplyScalar(irradiance),
    blur,
  };
}

/** The sky over an exterior: one colour at the horizon, one at the zenith. */
export function skySource({ zenith, horizon, radiance }) {
  return {
    kind: 'sky',
    zenith: new Color(zenith).multiplyScalar(radiance),
    horizon: new Color(horizon).multiplyScalar(radiance),
  };
}

function basis(normal) {
  const helper = Math.abs(normal.y) > 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  const a = new Vector3().crossVectors(helper, normal).normalize();
  return [a, new Vector3().crossVectors(normal, a)];
}

function cosineDirection(normal, random, limit = 1) {
  const [x, y] = onDisc(random() * limit, random());
  const [a, b] = basis(normal);
  return a
    .multiplyScalar(x)
    .addScaledVector(b, y)
    .addScaledVector(normal, Math.sqrt(Math.max(0, 1 - x * x - y * y)))
    .normalize();
}

function randomDirection(random) {
  const y = 2 * random() - 1;
  const r = Math.sqrt(1 - y * y);
  const phi = 2 * Math.PI * random();
  return new Vector3(r * Math.cos(phi), y, r * Math.sin(phi));
}

/** One virtual spot light of a source: position, direction, angle. */
function lightOf(source, random) {
  if (source.kind === 'area') {
    const position = source.centre
      .clone()
      .addScaledVector(source.u, 2 * random() - 1)
      .addScaledVector(source.v, 2 * random() - 1);
    return { position, direction: source.normal.clone(), angle: PORTAL_ANGLE };
  }
  if (source.kind === 'globe') {
    return { position: source.position.clone(), direction: randomDirection(random), angle: PORTAL_ANGLE };
  }
  return {
    position: source.position.clone(),
    direction: source.target.clone().sub(source.position).normalize(),
    angle: source.angle,
  };
}

/** Distributes `count` picks over the sources by power; weights keep the sum equal to the sources' power. */
function picks(sources, count, random) {
  const powers = sources.map(s => luminance(s.intensity) * s.flux);
  const total = powers.reduce((a, b) => a + b, 0);
  const out = [];
  let cumulated = 0;
  const offset = random();
  sources.forEach((source, i) => {
    const from = Math.ceil((cumulated / total) * count - offset);
    cumulated += powers[i];
    const to = Math.ceil((cumulated / total) * count - offset);
    for (let k = Math.max(0, from); k < Math.min(to, count); k++) {
      out.push({ source, color: source.intensity.clone().multiplyScalar(total / powers[i] / count) });
    }
  });
  return shuffled(out, random);
}

/** `count` shadowed spot lights whose sum is the direct light of lamps and windows. */
export function directLights(sources, count, random) {
  if (sources.length === 0) return [];
  return picks(sources, count, random).map(({ source, color }) => ({ ...lightOf(source, random), color }));
}

/** The sun as a source of bounced light: rays enter through `apertures` (windows) or over a disc of `radius`. */
function sunRay(sun, apertures, focus, radius, random) {
  if (apertures.length > 0) {
    const areas = apertures.map(a => 4 * a.u.length() * a.v.length() * Math.max(0, -a.normal.dot(sun.direction)));
    const total = areas.reduce((a, b) => a + b, 0);
    const pick = random() * total;
    let passed = 0;
    const index = areas.findIndex(area => {
      passed += area;
      return pick <= passed;
    });
    const aperture = apertures[Math.max(0, index)];
    return { origin: lightOf({ ...aperture, kind: 'area' }, random).position, power: total };
  }
  const [x, y] = onDisc(random(), random());
  const [a, b] = basis(sun.direction);
  const origin = focus
    .clone()
    .addScaledVector(a, x * radius)
    .addScaledVector(b, y * radius)
    .addScaledVector(sun.direction, 80);
  return { origin, power: Math.PI * radius * radius };
}

function albedoOf(hit) {
  const material = Array.isArray(hit.object.material) ? hit.object.material[0] : hit.object.material;
  const mean = material.userData.albedo ?? material.color ?? new Color(0.5, 0.5, 0.5);
  return mean.clone().multiplyScalar(1 - (material.metalness ?? 0) * 0.5);
}

function bounce(raycaster, meshes, origin, direction) {
  raycaster.set(origin, direction);
  raycaster.near = 0.02;
  const hit = raycaster.intersectObjects(meshes, false)[0];
  if (!hit?.face) return undefined;
  const normal = hit.face.normal.clone().transformDirection(hit.object.matrixWorld);
  if (normal.dot(direction) > 0) normal.negate();
  return { position: hit.point.clone().addScaledVector(normal, 0.03), normal, albedo: albedoOf(hit) };
}

/**
 * `count` virtual lights at points that light reaches: half at the first bounce, half at the second. The second is
 * amplified to represent all later bounces (a room with a mean albedo of 0.5 reflects the same amount again).
 */
export function bouncedLights({ sources, sun, apertures, focus, radius, meshes, count, random }) {
  const raycaster = new Raycaster();
  const rays = [];
  const spots = sources.length > 0 ? picks(sources, count, random) : [];
  for (const { source, color } of spots) {
    const light = lightOf(source, random);
    const limit = source.kind === 'beam' ? Math.sin(source.angle) ** 2 : 1;
    rays.push({
      origin: light.position,
      direction: cosineDirection(light.direction, random, limit),
      color: color.multiplyScalar(limit),
    });
  }
  for (let i = 0; sun && i < count; i++) {
    const { origin, power } = sunRay(sun, apertures, focus, radius, random);
    const color = sun.color.clone().multiplyScalar(power / Math.PI / count);
    rays.push({ origin, direction: sun.direction.clone().negate(), color });
  }
  const lights = [];
  for (const ray of rays) {
    const first = bounce(raycaster, meshes, ray.origin, ray.direction);
    if (!first) continue;
    const color = ray.color.multiply(first.albedo);
    lights.push({
      position: first.position,
      direction: first.normal,
      angle: PORTAL_ANGLE,
      color: color.clone(),
    });
    const second = bounce(raycaster, meshes, first.position, cosineDirection(first.normal, random));
    if (!second) continue;
    lights.push({
      position: second.position,
      direction: second.normal,
      angle: PORTAL_ANGLE,
      color: color.multiply(second.albedo).multiplyScalar(1.8),
    });
  }
  return resampled(lights, count, random);
}

/** Selects `count` of the lights by power without changing their sum. */
function resampled(lights, count, random) {
  const asSources = lights
    .map(light => ({ ...light, intensity: light.color, flux: 1 }))
    .filter(l => luminance(l.intensity) > 0);
  if (asSources.length === 0) return [];
  return picks(asSources, count, random).map(({ source, color }) => ({
    position: source.position,
    direction: source.direction,
    angle: source.angle,
    color,
  }));
}

/** `count` evenly distributed directions of the sky dome with the light of each. */
export function skyDirections(sky, count, random) {
  const golden = Math.PI * (3 - Math.sqrt(5));
  const turn = random() * Math.PI * 2;
  const list = Array.from({ length: count }, (_, i) => {
    const y = (i + 0.5) / count;
    const r = Math.sqrt(1 - y * y);
    const direction = new Vector3(r * Math.cos(i * golden + turn), y, r * Math.sin(i * golden + turn));
    return {
      direction,
      color: sky.horizon
        .clone()
        .lerp(sky.zenith, Math.sqrt(y))
        .multiplyScalar((2 * Math.PI) / count),
    };
  });
  return shuffled(list, random);
}
