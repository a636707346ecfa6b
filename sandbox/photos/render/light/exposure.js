// Exposes one photo: averages many frames in floating point, each with its own lights, camera jitter and lens point.
import {
  FloatType,
  HalfFloatType,
  NearestFilter,
  PMREMGenerator,
  ShaderMaterial,
  Vector3,
  WebGLRenderTarget,
} from 'three';
import { FullScreenQuad } from 'three/addons/postprocessing/Pass.js';
import { mergeStatic } from './merge.js';
import { halton, onDisc } from './random.js';
import { createRig } from './rig.js';

const vertexShader = 'varying vec2 vUv; void main() { vUv = uv; gl_Position = vec4( position.xy, 0.0, 1.0 ); }';

const addFrame = () =>
  new ShaderMaterial({
    uniforms: { mean: { value: null }, frame: { value: null }, weight: { value: 1 } },
    vertexShader,
    // Limits highlights of a single frame, which would leave isolated bright pixels.
    fragmentShader: `uniform sampler2D mean, frame; uniform float weight; varying vec2 vUv;
      void main() { gl_FragColor = mix( texture2D( mean, vUv ), min( texture2D( frame, vUv ), vec4( 60.0 ) ), weight ); }`,
    depthTest: false,
    depthWrite: false,
  });

/** Frames have a lower resolution than the picture; their sub-pixel shifts restore it. */
const FRAME_SCALE = 0.66;

function aimCamera(camera, shot, index, width, height) {
  const jitter = [halton(index + 1, 2) - 0.5, halton(index + 1, 3) - 0.5];
  camera.setViewOffset(width, height, jitter[0], jitter[1], width, height);
  camera.position.copy(shot.from);
  camera.up.set(0, 1, 0);
  camera.lookAt(shot.to);
  camera.updateMatrixWorld();
  if (!shot.aperture) return;
  // Samples a point of the lens: moves the camera sideways and shears the image to keep the focus plane fixed.
  const [x, y] = onDisc(halton(index + 1, 5), halton(index + 1, 7)).map(v => v * shot.aperture);
  const right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
  const up = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
  camera.position.addScaledVector(right, x).addScaledVector(up, y);
  camera.updateMatrixWorld();
  camera.projectionMatrix.elements[8] -= (x / shot.focus) * camera.projectionMatrix.elements[0];
  camera.projectionMatrix.elements[9] -= (y / shot.focus) * camera.projectionMatrix.elements[5];
  camera.projectionMatrixInverse.copy(camera.projectionMatrix).invert();
}

/** Keeps vertical lines vertical, as a shift lens does. */
function shiftLens(shot) {
  if (!shot.upright) return 0;
  const level = shot.to.clone().setY(shot.from.y);
  const distance = level.distanceTo(shot.from);
  return (shot.to.y - shot.from.y) / distance;
}

/** Captures the environment map for reflections once, from the centre of the room or garden. */
function captureSurroundings(renderer, stage, rig) {
  const position = stage.room
    ? new Vector3(...stage.room.centre)
    : stage.focus.clone().setY(Math.max(1.5, stage.focus.y));
  const hidden = stage.mirrors.flatMap(mirror => mirror.hides);
  for (const object of hidden) object.visible = false;
  rig.show(0);
  renderer.shadowMap.needsUpdate = true;
  const { texture } = new PMREMGenerator(renderer).fromScene(stage.scene, 0, 0.05, 6000, {
    size: 64,
    position,
  });
  for (const object of hidden) object.visible = true;
  return texture;
}

/** Returns a float target with the mean of all frames (linear light). */
export function expose(renderer, stage, shot, { width, height, frames, sky = 3, direct = 2, bounced = 3 }) {
  const rig = createRig(stage, { frames, sky, direct, bounced });
  mergeStatic(stage.scene, new Set(stage.mirrors.flatMap(mirror => mirror.hides)));
  stage.scene.environment = captureSurroundings(renderer, stage, rig);
  const options = { minFilter: NearestFilter, magFilter: NearestFilter };
  const [frameWidth, frameHeight] = [width, height].map(n => Math.round(n * FRAME_SCALE));
  const frameTarget = new WebGLRenderTarget(frameWidth, frameHeight, { ...options, type: HalfFloatType });
  let [mean, next] = [0, 1].map(
    () => new WebGLRenderTarget(width, height, { ...options, type: FloatType, depthBuffer: false }),
  );
  const adder = new FullScreenQuad(addFrame());
  const camera = stage.camera;
  const shift = shiftLens(shot);
  if (shot.upright) shot.to.y = shot.from.y;
  for (let i = 0; i < frames; i++) {
    rig.show(i);
    aimCamera(camera, shot, i, frameWidth, frameHeight);
    camera.projectionMatrix.elements[9] += shift * camera.projectionMatrix.elements[5];
    camera.projectionMatrixInverse.copy(camera.projectionMatrix).invert();
    renderer.shadowMap.needsUpdate = true;
    for (const mirror of stage.mirrors)
      mirror.render(renderer, stage.scene, camera, {
        random: stage.random,
        width: frameWidth,
        height: frameHeight,
      });
    renderer.setRenderTarget(frameTarget);
    renderer.clear();
    renderer.render(stage.scene, camera);
    Object.assign(adder.material.uniforms.mean, { value: mean.texture });
    Object.assign(adder.material.uniforms.frame, { value: frameTarget.texture });
    adder.material.uniforms.weight.value = 1 / (i + 1);
    renderer.setRenderTarget(next);
    adder.render(renderer);
    [mean, next] = [next, mean];
  }
  return mean;
}
