// The sky dome with clouds and sun glow, and the sea that reflects it: both unlit, coloured by the time of day.
import { BackSide, Matrix4, Mesh, PlaneGeometry, ShaderMaterial, SphereGeometry } from 'three';
import { waves } from '../materials/patterns.js';

/** GLSL for the sky's radiance in a direction; its uniforms come from `skyUniforms`. */
export const skyFunction = /* glsl */ `
  uniform vec3 zenithColor, middleColor, horizonColor, glowColor, cloudColor, sunDirection;
  uniform float clouds;
  float skyHash( vec2 p ) { return fract( sin( dot( p, vec2( 127.1, 311.7 ) ) ) * 43758.5453 ); }
  float skyNoise( vec2 p ) {
    vec2 i = floor( p ), f = fract( p ); f = f * f * ( 3.0 - 2.0 * f );
    return mix( mix( skyHash( i ), skyHash( i + vec2( 1, 0 ) ), f.x ), mix( skyHash( i + vec2( 0, 1 ) ), skyHash( i + vec2( 1, 1 ) ), f.x ), f.y );
  }
  float skyFbm( vec2 p ) { float s = 0.0, a = 0.5; for ( int i = 0; i < 6; i ++ ) { s += a * skyNoise( p ); p = p * 2.03 + 17.0; a *= 0.5; } return s; }
  vec3 skyGradient( vec3 d ) {
    float h = max( d.y, 0.0 );
    vec3 c = mix( horizonColor, middleColor, smoothstep( 0.0, 0.28, h ) );
    c = mix( c, zenithColor, smoothstep( 0.12, 0.9, h ) );
    float toSun = max( dot( d, normalize( sunDirection ) ), 0.0 );
    float low = 1.0 - smoothstep( 0.0, 0.6, h );
    return c + glowColor * ( 0.55 * pow( toSun, 6.0 ) * low + 0.5 * pow( toSun, 60.0 ) + 3.0 * pow( toSun, 1500.0 ) );
  }
  vec3 skyColor( vec3 d ) {
    vec3 c = skyGradient( d );
    vec2 plane = d.xz / ( max( d.y, 0.0 ) + 0.12 );
    float field = skyFbm( plane * vec2( 0.9, 1.7 ) + skyFbm( plane * 0.7 ) * 1.4 );
    float cover = smoothstep( 1.0 - clouds * 0.95, 1.25 - clouds * 0.55, field + 0.12 ) * smoothstep( 0.015, 0.22, d.y );
    float shade = 0.72 + 0.4 * skyFbm( plane * 3.0 + 4.0 );
    return mix( c, cloudColor * shade + glowColor * 0.25 * pow( max( dot( d, normalize( sunDirection ) ), 0.0 ), 4.0 ), cover * 0.85 );
  }
`;

export const skyUniforms = time => ({
  zenithColor: { value: time.zenithColor },
  middleColor: { value: time.middleColor },
  horizonColor: { value: time.horizonColor },
  glowColor: { value: time.glowColor },
  cloudColor: { value: time.cloudColor },
  sunDirection: { value: time.sunDirection },
  clouds: { value: time.clouds },
});

export function skyDome(time, { dim = 1 } = {}) {
  const material = new ShaderMaterial({
    side: BackSide,
    depthWrite: false,
    uniforms: { ...skyUniforms(time), dim: { value: dim } },
    vertexShader:
      'varying vec3 vDirection; void main() { vDirection = ( modelMatrix * vec4( position, 0.0 ) ).xyz; gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 ); }',
    fragmentShader: `${skyFunction} uniform float dim; varying vec3 vDirection; void main() { gl_FragColor = vec4( skyColor( normalize( vDirection ) ) * dim, 1.0 ); }`,
  });
  const dome = new Mesh(new SphereGeometry(5000, 48, 32), material);
  dome.renderOrder = -10;
  return dome;
}

const seaVertex = /* glsl */ `
  uniform mat4 mirrorMatrix; varying vec3 vWorld; varying vec4 vMirror;
  void main() {
    vec4 world = modelMatrix * vec4( position, 1.0 );
    vWorld = world.xyz; vMirror = mirrorMatrix * world;
    gl_Position = projectionMatrix * viewMatrix * world;
  }`;

const seaFragment = /* glsl */ `
  ${skyFunction}
  uniform sampler2D waveMap, mirrorMap; uniform vec3 deep, shallow, hazeColor; uniform float dim, chop, haze, wave; uniform bool mirrored;
  varying vec3 vWorld; varying vec4 vMirror;
  void main() {
    vec3 view = vWorld - cameraPosition; float distance = length( view ); view /= distance;
    vec2 p = vWorld.xz / wave;
    vec3 n = texture2D( waveMap, p * 0.05 ).xzy + texture2D( waveMap, p * 0.013 + 0.4 ).xzy + texture2D( waveMap, p.yx * 0.19 ).xzy * 0.7 - vec3( 1.35, 0.0, 1.35 );
    float calm = 1.0 / ( 1.0 + distance * 0.004 / wave );
    n = normalize( vec3( n.x * chop * calm, 1.0, n.z * chop * calm ) );
    vec3 r = reflect( view, n ); r.y = abs( r.y ) + 0.1;
    float facing = max( dot( - view, n ), 0.0 );
    float fresnel = 0.03 + 0.97 * pow( 1.0 - facing, 5.0 );
    vec3 sky = skyGradient( normalize( r ) );
    if ( mirrored ) {
      vec4 at = vMirror; at.xy += vec2( n.x, n.z * 2.0 ) * 0.14 * at.w;
      sky = texture2DProj( mirrorMap, at ).rgb;
    }
    vec3 body = mix( deep, shallow, pow( facing, 0.8 ) );
    vec3 c = mix( body, sky, fresnel * 0.93 ) * dim;
    gl_FragColor = vec4( mix( hazeColor * dim, c, exp( - distance * haze ) ), 1.0 );
  }`;

/** Open water at height `y`; a `mirror` adds reflections of the shore. `wave` scales the waves. */
export function sea(
  time,
  {
    y = 0,
    mirror,
    dim = 1,
    chop = 0.5,
    wave = 1,
    size = 9000,
    deep = '#0c4a5c',
    shallow = '#1f7f8c',
    haze = 0.00007,
    at = [0, 0],
  } = {},
) {
  const light = time.radiance;
  const color = hex => time.cloudColor.clone().set(hex).multiplyScalar(light);
  const material = new ShaderMaterial({
    uniforms: {
      ...skyUniforms(time),
      waveMap: { value: waves({ relief: 0.03 }) },
      deep: { value: color(deep) },
      shallow: { value: color(shallow) },
      hazeColor: { value: time.horizonColor },
      dim: { value: dim },
      chop: { value: chop },
      wave: { value: wave },
      haze: { value: haze },
      mirrored: { value: Boolean(mirror) },
      ...(mirror?.uniforms ?? { mirrorMap: { value: null }, mirrorMatrix: { value: new Matrix4() } }),
    },
    vertexShader: seaVertex,
    fragmentShader: seaFragment,
  });
  material.uniforms.waveMap.value.repeat.set(1, 1);
  const water = new Mesh(new PlaneGeometry(size, size).rotateX(-Math.PI / 2), material);
  water.position.set(at[0], y, at[1]);
  if (mirror) mirror.hides.push(water);
  return water;
}
