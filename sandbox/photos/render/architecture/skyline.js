// Distant towers: instanced boxes and drums; a shader draws facades, windows and lights.
import {
  BoxGeometry,
  Color,
  CylinderGeometry,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  Quaternion,
  ShaderMaterial,
  Vector3,
} from 'three';
import { seededRandom } from '../light/random.js';
import { skyFunction, skyUniforms } from './sky.js';

const vertexShader = /* glsl */ `
  attribute vec3 extent; attribute vec4 look; attribute vec3 tone;
  varying vec3 vWorld, vNormal, vTone; varying vec2 vFacade; varying vec4 vLook;
  void main() {
    vec4 world = modelMatrix * instanceMatrix * vec4( position, 1.0 );
    vNormal = normalize( mat3( instanceMatrix ) * ( normal / max( extent * extent, vec3( 1e-6 ) ) ) );
    vec3 local = ( position + vec3( 0.5, 0.0, 0.5 ) ) * extent;
    #ifdef DRUM
      vFacade = vec2( uv.x * 3.1416 * extent.x, local.y );
    #else
      vFacade = vec2( abs( normal.x ) > 0.5 ? local.z : local.x, local.y );
    #endif
    vWorld = world.xyz; vLook = look; vTone = tone;
    gl_Position = projectionMatrix * viewMatrix * world;
  }`;

const fragmentShader = /* glsl */ `
  ${skyFunction}
  uniform vec3 sunColor, ambient, hazeColor, lamp; uniform float lit, haze, dim;
  varying vec3 vWorld, vNormal, vTone; varying vec2 vFacade; varying vec4 vLook;
  float band( float x, float width, float soft ) { float d = abs( fract( x ) - 0.5 ) * 2.0; return 1.0 - smoothstep( 1.0 - width - soft, 1.0 - width + soft, d ); }
  void main() {
    vec3 n = normalize( vNormal ); vec3 view = vWorld - cameraPosition; float far = length( view ); view /= far;
    float style = vLook.y, bay = vLook.z, storey = vLook.w;
    vec2 grid = vec2( vFacade.x / bay, vFacade.y / storey );
    vec2 soft = clamp( fwidth( grid ) * 1.2, 0.005, 0.5 );
    float columns = band( grid.x, style < 0.5 ? 0.06 : style < 1.5 ? 0.3 : style < 2.5 ? 0.04 : 0.34, soft.x );
    float floors = band( grid.y, style < 0.5 ? 0.16 : style < 1.5 ? 0.36 : style < 2.5 ? 0.4 : 0.1, soft.y );
    float pane = columns * floors * ( 1.0 - step( 0.6, n.y ) );
    vec2 id = floor( vec2( grid.x / ( style < 0.5 ? 2.0 : 1.0 ), grid.y ) );
    float dice = skyHash( id + vLook.x * 91.0 ); float dice2 = skyHash( id.yx + vLook.x * 37.0 );
    float sun = max( dot( n, normalize( sunDirection ) ), 0.0 );
    float up = 0.55 + 0.45 * clamp( n.y * 0.5 + 0.5 + vFacade.y * 0.002, 0.0, 1.0 );
    vec3 wall = vTone * ( ambient * up + sunColor * sun * 0.32 );
    vec3 r = reflect( view, n ); r.y = abs( r.y ) * 0.9 + 0.08;
    vec3 window = skyGradient( normalize( r ) ) * ( 0.34 + 0.3 * dice ) * mix( vec3( 1.0 ), vec3( 0.55, 0.75, 0.85 ), 0.7 );
    window += vTone * ambient * 0.12;
    float on = step( dice2, lit * ( 0.5 + 0.9 * skyHash( vec2( vLook.x * 11.0, floor( grid.y / 7.0 ) ) ) ) );
    vec3 warm = mix( lamp, lamp * vec3( 0.8, 0.95, 1.2 ), step( 0.78, dice ) ) * ( 0.35 + 0.9 * dice * dice );
    window = mix( window, warm, on );
    vec3 c = mix( wall + lamp * lit * 0.05, window, pane ) * dim;
    gl_FragColor = vec4( mix( hazeColor * dim, c, exp( - far * haze ) ), 1.0 );
  }`;

function facades(time, { dim, haze, drum }) {
  return new ShaderMaterial({
    defines: drum ? { DRUM: '' } : {},
    uniforms: {
      ...skyUniforms(time),
      sunColor: { value: time.sunRadiance },
      ambient: { value: time.middleColor.clone().lerp(time.horizonColor, 0.6).multiplyScalar(0.75) },
      hazeColor: { value: time.hazeColor },
      lamp: { value: new Color('#ffd9ac').multiplyScalar(time.lamp) },
      lit: { value: time.lit },
      haze: { value: haze },
      dim: { value: dim },
    },
    vertexShader,
    fragmentShader,
  });
}

const TONES = ['#e9e4da', '#d8cdbb', '#c9c7c4', '#f2efe9', '#b7a890', '#9aa3ab', '#dcd6cd', '#7d8890'];

/** The blocks of one tower: a shaft with setbacks, a crown, sometimes a mast. */
function towerBlocks(tower, random) {
  const {
    x,
    z,
    width,
    depth,
    height,
    turn = 0,
    style = Math.floor(random() * 4),
    tone = TONES[Math.floor(random() * TONES.length)],
  } = tower;
  const look = [random(), style, [1.5, 3.2, 4, 2][style] * (0.8 + random() * 0.5), 3.2 + random() * 0.6];
  const blocks = [{ w: width, d: depth, y: 0, h: height * 0.86 }];
  if (random() < 0.65) blocks.push({ w: width * 0.8, d: depth * 0.8, y: height * 0.86, h: height * 0.09 });
  if (random() < 0.5) blocks.push({ w: width * 0.5, d: depth * 0.5, y: height * 0.86, h: height * 0.14 });
  if (random() < 0.2) blocks.push({ w: 1.6, d: 1.6, y: height * 0.9, h: height * 0.3 });
  if (random() < 0.7) blocks.push({ w: width * 1.5, d: depth * 1.5, y: 0, h: 14 + random() * 10 });
  if (random() < 0.4) blocks.push({ w: width * 0.3, d: depth * 1.06, y: 0, h: height * 0.93 });
  return blocks.map(b => ({ ...b, x, z, turn, look, tone }));
}

function instanced(blocks, drum, material) {
  const geometry = drum
    ? new CylinderGeometry(0.5, 0.5, 1, 32).translate(0, 0.5, 0)
    : new BoxGeometry(1, 1, 1).translate(0, 0.5, 0);
  const mesh = new InstancedMesh(geometry, material, blocks.length);
  const attribute = (name, size, of) =>
    geometry.setAttribute(name, new InstancedBufferAttribute(new Float32Array(blocks.flatMap(of)), size));
  attribute('extent', 3, b => [b.w, b.h, b.d]);
  attribute('look', 4, b => b.look);
  attribute('tone', 3, b => new Color(b.tone).toArray());
  blocks.forEach((b, i) => {
    const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), b.turn);
    mesh.setMatrixAt(i, new Matrix4().compose(new Vector3(b.x, b.y, b.z), turn, new Vector3(b.w, b.h, b.d)));
  });
  mesh.frustumCulled = false;
  return mesh;
}

/** The given towers, `{ x, z, width, depth, height, turn, style, tone, drum }`, at height `y`. */
export function towers(time, list, { y = 0, dim = 1, haze = 0.00014, seed = 5 } = {}) {
  const random = seededRandom(seed);
  const blocks = list.map(tower => ({ drum: Boolean(tower.drum), parts: towerBlocks(tower, random) }));
  return [false, true].flatMap(drum => {
    const parts = blocks.filter(b => b.drum === drum).flatMap(b => b.parts);
    if (parts.length === 0) return [];
    const mesh = instanced(parts, drum, facades(time, { dim, haze, drum }));
    mesh.position.y = y;
    return [mesh];
  });
}

/** A random city between `near` and `far` metres toward -z, `spread` radians to either side of `facing`. */
export function city({
  count = 90,
  near = 300,
  far = 1500,
  spread = 0.9,
  facing = 0,
  tall = 260,
  low = 40,
  seed = 3,
  drums = 0.15,
}) {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const angle = facing + ((i + random()) / count - 0.5) * 2 * spread;
    const distance = near + (far - near) * random() ** 0.8;
    const width = 22 + random() * 26;
    return {
      x: Math.sin(angle) * distance,
      z: -Math.cos(angle) * distance,
      width,
      depth: width * (0.7 + random() * 0.6),
      height: low + (tall - low) * random() ** 1.7,
      turn: random() * 1.5,
      drum: random() < drums,
    };
  });
}
