// Runs in the page: builds the scene of a shot, exposes and develops it, and returns the picture as PNG.
import { BasicShadowMap, LinearSRGBColorSpace, NoToneMapping, WebGLRenderer } from 'three';
import { develop } from './light/develop.js';
import { expose } from './light/exposure.js';
import { patchShaders } from './light/shader-patches.js';
import { shots } from './shots.js';
import { Stage } from './stage.js';

export const names = Object.keys(shots);

/** Returns the picture as a data: URL; `quality` scales the number of frames, `scale` the number of pixels. */
export async function render(name, { scale = 1, quality = 1 } = {}) {
  const { scene, size = [1920, 1280], frames = 22, lights = {}, grade = {}, seed = 7, ...options } = shots[name];
  const [width, height] = size.map(n => Math.round(n * scale));
  const stage = new Stage({ seed, aspect: width / height });
  const shot = scene(stage, options);
  patchShaders(stage.room);
  const renderer = new WebGLRenderer({ antialias: false, preserveDrawingBuffer: true });
  renderer.setPixelRatio(1);
  renderer.setSize(width, height);
  renderer.outputColorSpace = LinearSRGBColorSpace;
  renderer.toneMapping = NoToneMapping;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = BasicShadowMap;
  renderer.shadowMap.autoUpdate = false;
  const exposure = expose(renderer, stage, shot, {
    width,
    height,
    frames: Math.max(2, Math.round(frames * quality)),
    ...lights,
  });
  develop(renderer, exposure, { ...shot.grade, ...grade });
  const picture = renderer.domElement.toDataURL('image/png');
  renderer.forceContextLoss();
  return picture;
}
