// Patches three's physical shader so that the mean of many shadowed lights gives soft light without artefacts.
import { ShaderChunk } from 'three';

const lambertOnly = /* glsl */ `
void RE_Direct_Physical( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
  float facing = dot( geometryNormal, directLight.direction );
  #ifdef TRANSLUCENT
    float reached = max( facing, 0.0 ) * 0.7 + max( - facing, 0.0 ) * 0.45;
  #else
    float reached = max( facing, 0.0 );
  #endif
  reflectedLight.directDiffuse += reached * directLight.color * RECIPROCAL_PI * material.diffuseContribution;
}
`;

const mirrorLookup = /* glsl */ `
  #ifdef PLANAR
    vec4 mirrorCoord = vMirrorCoord;
    mirrorCoord.xy += ( vec4( normal, 0.0 ) * viewMatrix ).xz * PLANAR_RIPPLE * mirrorCoord.w;
    return texture2DProj( mirrorMap, mirrorCoord ).rgb;
  #endif
`;

const boxProjection = /* glsl */ `
  #ifdef ROOM_REFLECTION
    vec3 here = cameraPosition + ( vec4( - vViewPosition, 0.0 ) * viewMatrix ).xyz;
    vec3 exits = max( ( ROOM_MAX - here ) / reflectVec, ( ROOM_MIN - here ) / reflectVec );
    reflectVec = normalize( here + reflectVec * max( 0.0, min( min( exits.x, exits.y ), exits.z ) ) - ROOM_CENTRE );
  #endif
`;

const vec3 = v => `vec3( ${v.map(n => n.toFixed(4)).join(', ')} )`;

const original = { ...ShaderChunk };

function replaceOnce(chunk, from, to) {
  if (!ShaderChunk[chunk].includes(from))
    throw new Error(`The shader chunk ${chunk} of this three.js version does not contain "${from}".`);
  ShaderChunk[chunk] = ShaderChunk[chunk].replace(from, to);
}

/** Call before the first material of a photo is compiled. `room` bounds the reflections of an interior. */
export function patchShaders(room) {
  Object.assign(ShaderChunk, original);
  // A virtual light close to a wall would overexpose a spot: limits the distance instead.
  replaceOnce(
    'lights_pars_begin',
    'max( pow( lightDistance, decayExponent ), 0.01 )',
    'max( lightDistance * lightDistance, 0.3 )',
  );
  replaceOnce(
    'lights_pars_begin',
    'return smoothstep( coneCosine, penumbraCosine, angleCosine );',
    'return angleCosine * smoothstep( coneCosine, penumbraCosine, angleCosine );',
  );

  const physical = ShaderChunk.lights_physical_pars_fragment;
  const start = physical.indexOf('void RE_Direct_Physical');
  const end = physical.indexOf('void RE_IndirectDiffuse_Physical');
  ShaderChunk.lights_physical_pars_fragment = physical.slice(0, start) + lambertOnly + physical.slice(end);

  // The averaged lights provide all diffuse light; the environment provides reflections only.
  replaceOnce('lights_fragment_maps', 'iblIrradiance += getIBLIrradiance( geometryNormal );', '');
  const anchor = 'reflectVec = transformDirectionByInverseViewMatrix( reflectVec, viewMatrix );';
  replaceOnce('envmap_physical_pars_fragment', anchor, anchor + boxProjection + mirrorLookup);
  const bounds = room
    ? `#define ROOM_REFLECTION\nconst vec3 ROOM_MIN = ${vec3(room.min)};\nconst vec3 ROOM_MAX = ${vec3(room.max)};\nconst vec3 ROOM_CENTRE = ${vec3(room.centre)};\n`
    : '';
  const planar = '#ifdef PLANAR\nuniform sampler2D mirrorMap;\nvarying vec4 vMirrorCoord;\n#endif\n';
  ShaderChunk.envmap_physical_pars_fragment = bounds + planar + ShaderChunk.envmap_physical_pars_fragment;
}
