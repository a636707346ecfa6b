// Swimming pools: a mosaic basin under water that reflects its surroundings.
import {
  Color,
  CustomBlending,
  Mesh,
  OneFactor,
  OneMinusSrcAlphaFactor,
  PlaneGeometry,
  ShaderMaterial,
  Vector3,
} from 'three';
import { Mirror } from '../light/mirror.js';
import { areaSource } from '../light/sources.js';
import { mosaic, paving } from '../materials/library.js';
import { waves } from '../materials/patterns.js';
import { box } from '../shapes.js';

const vertexShader = /* glsl */ `
  uniform mat4 mirrorMatrix; varying vec3 vWorld; varying vec4 vMirror;
  void main() {
    vec4 world = modelMatrix * vec4( position, 1.0 );
    vWorld = world.xyz; vMirror = mirrorMatrix * world;
    gl_Position = projectionMatrix * viewMatrix * world;
  }`;

// Premultiplied alpha: adds the reflection and shows the basin through the rest.
const fragmentShader = /* glsl */ `
  uniform sampler2D waveMap, mirrorMap; uniform vec3 tint; uniform float body, ripple; varying vec3 vWorld; varying vec4 vMirror;
  void main() {
    vec3 view = normalize( vWorld - cameraPosition );
    vec2 p = vWorld.xz;
    vec2 slope = texture2D( waveMap, p * 0.11 ).xy + texture2D( waveMap, p.yx * 0.27 + 0.3 ).xy * 0.6 - 0.8;
    vec3 n = normalize( vec3( slope.x * ripple, 1.0, slope.y * ripple ) );
    float fresnel = 0.03 + 0.97 * pow( 1.0 - max( dot( - view, n ), 0.0 ), 5.0 );
    vec4 at = vMirror; at.xy += vec2( n.x, n.z * 1.6 ) * 0.22 * at.w;
    vec3 mirrored = texture2DProj( mirrorMap, at ).rgb;
    gl_FragColor = vec4( mirrored * fresnel + tint * body * ( 1.0 - fresnel ), 1.0 - ( 1.0 - body ) * ( 1.0 - fresnel ) );
  }`;

/** Water of `size` [x, z] at `at`, with its own mirror; `tint` is the colour of deep water, `body` its strength. */
export function poolWater(stage, { at, size, tint = '#1c8fa6', light = 0.3, body = 0.4, ripple = 0.1, scale = 0.6 }) {
  const mirror = new Mirror({ point: new Vector3(0, at[1], 0), normal: new Vector3(0, 1, 0), scale });
  const waveMap = waves({ relief: 0.012 });
  const material = new ShaderMaterial({
    uniforms: {
      ...mirror.uniforms,
      waveMap: { value: waveMap },
      tint: { value: new Color(tint).multiplyScalar(light) },
      body: { value: body },
      ripple: { value: ripple },
    },
    vertexShader,
    fragmentShader,
    transparent: true,
    depthWrite: false,
    blending: CustomBlending,
    blendSrc: OneFactor,
    blendDst: OneMinusSrcAlphaFactor,
    premultipliedAlpha: true,
  });
  const water = new Mesh(new PlaneGeometry(size[0], size[1]).rotateX(-Math.PI / 2), material);
  water.position.set(...at);
  mirror.hides.push(water);
  stage.mirrors.push(mirror);
  return water;
}

/**
 * A rectangular pool in the ground, its rim at height 0: `from` and `to` are its corners in x and z. `glow` is
 * the radiance of its underwater lights.
 */
export function pool(
  stage,
  {
    from,
    to,
    depth = 1.3,
    level = -0.07,
    coping = paving('#ddd6c9'),
    tiles = mosaic(),
    glow = 0,
    light = 0.3,
    ripple = 0.1,
    body = 0.4,
  },
) {
  const [w, d] = [to[0] - from[0], to[1] - from[1]];
  const [x, z] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  const rim = 0.45;
  const parts = [
    box(tiles, [w + 0.4, 0.2, d + 0.4], [x, -depth - 0.2, z]),
    box(tiles, [0.2, depth, d], [from[0] - 0.1, -depth, z]),
    box(tiles, [0.2, depth, d], [to[0] + 0.1, -depth, z]),
    box(tiles, [w + 0.4, depth, 0.2], [x, -depth, from[1] - 0.1]),
    box(tiles, [w + 0.4, depth, 0.2], [x, -depth, to[1] + 0.1]),
    box(coping, [w + 2 * rim, 0.07, rim], [x, -0.03, from[1] - rim / 2]),
    box(coping, [w + 2 * rim, 0.07, rim], [x, -0.03, to[1] + rim / 2]),
    box(coping, [rim, 0.07, d], [from[0] - rim / 2, -0.03, z]),
    box(coping, [rim, 0.07, d], [to[0] + rim / 2, -0.03, z]),
  ];
  if (glow > 0) {
    const lamp = (px, pz, normal) =>
      areaSource({
        centre: new Vector3(px, -0.5, pz),
        u: new Vector3(0.3, 0, 0),
        v: new Vector3(0, 0.3, 0),
        normal,
        color: '#8fe6f0',
        radiance: glow,
      });
    for (const t of [0.2, 0.5, 0.8])
      stage.light(
        lamp(from[0] + w * t, from[1] + 0.06, new Vector3(0, -0.25, 1)),
        lamp(from[0] + w * t, to[1] - 0.06, new Vector3(0, -0.25, -1)),
      );
  }
  parts.push(poolWater(stage, { at: [x, level, z], size: [w, d], light, ripple, body }));
  return parts;
}

/** Ground of `material` with a rectangular hole, as four slabs. */
export function groundAround({ from, to, hole, material, top = 0, thick = 0.3 }) {
  const slab = (x0, z0, x1, z1) =>
    box(material, [x1 - x0, thick, z1 - z0], [(x0 + x1) / 2, top - thick, (z0 + z1) / 2]);
  return [
    slab(from[0], from[1], to[0], hole.from[1]),
    slab(from[0], hole.to[1], to[0], to[1]),
    slab(from[0], hole.from[1], hole.from[0], hole.to[1]),
    slab(hole.to[0], hole.from[1], to[0], hole.to[1]),
  ];
}
