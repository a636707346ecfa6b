// The three.js lights of a frame; each frame assigns them other virtual lights of the photo.
import { Color, DirectionalLight, SpotLight, Vector3 } from 'three';
import { onDisc } from './random.js';
import { bouncedLights, directLights, skyDirections } from './sources.js';

const BLACK = new Color(0, 0, 0);

function shadowed(light, size, near, far) {
  light.castShadow = true;
  light.shadow.mapSize.set(size, size);
  light.shadow.camera.near = near;
  light.shadow.camera.far = far;
  return light;
}

function directional(scene, radius, size) {
  const light = shadowed(new DirectionalLight(0xffffff, 1), size, 1, radius * 6);
  Object.assign(light.shadow.camera, { left: -radius, right: radius, top: radius, bottom: -radius });
  light.shadow.normalBias = (radius / size) * 3;
  light.shadow.bias = -0.0004;
  scene.add(light, light.target);
  return light;
}

function spot(scene, size, reach) {
  const light = shadowed(new SpotLight(0xffffff, 1, 0, 1.32, 0.15, 2), size, 0.06, reach);
  light.shadow.bias = -0.0015;
  light.shadow.normalBias = 0.02;
  scene.add(light, light.target);
  return light;
}

function aim(light, direction, color, focus, radius, random) {
  light.target.position.set(
    focus.x + (random() - 0.5) * 0.05 * radius,
    focus.y,
    focus.z + (random() - 0.5) * 0.05 * radius,
  );
  light.position.copy(light.target.position).addScaledVector(direction, radius * 3);
  light.shadow.camera.up.set(random() - 0.5, random() - 0.5, random() - 0.5).normalize();
  light.color.copy(color);
}

function sunDirection(sun, random) {
  const [x, y] = onDisc(random(), random());
  const side = new Vector3().crossVectors(sun.direction, new Vector3(0.1, 1, 0.2)).normalize();
  const up = new Vector3().crossVectors(side, sun.direction);
  return sun.direction
    .clone()
    .addScaledVector(side, x * sun.blur)
    .addScaledVector(up, y * sun.blur)
    .normalize();
}

/**
 * Builds the lights for `frames` frames from the stage's sources. A frame shows one sun, `sky` directions of the
 * sky, `direct` samples of windows and lamps, `bounced` samples of light reflected once or more; the mean of all
 * frames is the picture.
 */
export function createRig(stage, { frames, sky, direct, bounced }) {
  const { scene, sources, random, focus, radius } = stage;
  const meshes = [];
  scene.updateMatrixWorld(true);
  scene.traverse(o => o.isMesh && !o.isInstancedMesh && o.castShadow && meshes.push(o));
  const windowsAndLamps = directLights(sources, frames * direct, random);
  const reflections = bouncedLights({ ...stage, meshes, count: frames * bounced });
  const skies = stage.sky ? skyDirections(stage.sky, frames * sky, random) : [];
  const sunLight = stage.sun && directional(scene, radius, 2048);
  const skyLights = skies.length > 0 ? Array.from({ length: sky }, () => directional(scene, radius * 1.2, 1024)) : [];
  const spots = windowsAndLamps.length > 0 ? Array.from({ length: direct }, () => spot(scene, 1024, stage.reach)) : [];
  const bounces = reflections.length > 0 ? Array.from({ length: bounced }, () => spot(scene, 512, stage.reach)) : [];

  const place = (light, sample) => {
    if (!sample) {
      light.color.copy(BLACK);
      return;
    }
    light.position.copy(sample.position);
    light.target.position.copy(sample.position).add(sample.direction);
    light.shadow.camera.up.set(0.1, Math.abs(sample.direction.y) > 0.9 ? 0.1 : 1, 0.3);
    light.angle = sample.angle;
    light.color.copy(sample.color).multiplyScalar(frames);
  };

  return {
    show(frame) {
      if (sunLight) aim(sunLight, sunDirection(stage.sun, random), stage.sun.color, focus, radius, random);
      skyLights.forEach((light, i) => {
        const sample = skies[frame * sky + i];
        aim(light, sample.direction, sample.color.clone().multiplyScalar(frames), focus, radius * 1.2, random);
      });
      for (const [i, light] of spots.entries()) place(light, windowsAndLamps[frame * direct + i]);
      for (const [i, light] of bounces.entries()) place(light, reflections[frame * bounced + i]);
    },
  };
}
