// Converts an exposure into the picture: automatic exposure, bloom, tone mapping, colour grading, vignette.
import { HalfFloatType, LinearFilter, ShaderMaterial, Vector2, Vector3, WebGLRenderTarget } from 'three';
import { FullScreenQuad } from 'three/addons/postprocessing/Pass.js';

const vertexShader = 'varying vec2 vUv; void main() { vUv = uv; gl_Position = vec4( position.xy, 0.0, 1.0 ); }';
const pass = (uniforms, fragmentShader) =>
  new FullScreenQuad(
    new ShaderMaterial({ uniforms, vertexShader, fragmentShader, depthTest: false, depthWrite: false }),
  );

const target = (width, height) =>
  new WebGLRenderTarget(Math.round(width), Math.round(height), {
    type: HalfFloatType,
    minFilter: LinearFilter,
    magFilter: LinearFilter,
    depthBuffer: false,
  });

const shrinkFragment = `uniform sampler2D source; uniform vec2 texel; uniform float scale, threshold; varying vec2 vUv;
  void main() {
    vec3 sum = vec3( 0.0 );
    for ( int y = 0; y < 4; y ++ ) for ( int x = 0; x < 4; x ++ )
      sum += min( texture2D( source, vUv + ( vec2( x, y ) - 1.5 ) * texel ).rgb * scale, vec3( 12.0 ) );
    gl_FragColor = vec4( max( sum / 16.0 - threshold, 0.0 ), 1.0 );
  }`;

const blurFragment = `uniform sampler2D source; uniform vec2 step; varying vec2 vUv;
  void main() {
    vec3 sum = vec3( 0.0 ); float total = 0.0;
    for ( int i = -12; i <= 12; i ++ ) { float w = exp( - float( i * i ) / 50.0 ); sum += w * texture2D( source, vUv + float( i ) * step ).rgb; total += w; }
    gl_FragColor = vec4( sum / total, 1.0 );
  }`;

// The tone curve is Stephen Hill's fit of the ACES reference transform, as in three.js.
const printFragment = `uniform sampler2D source, glow; uniform float scale, bloom, contrast, saturation, vignette; uniform vec3 tint; varying vec2 vUv;
  const mat3 ACES_IN = mat3( 0.59719, 0.07600, 0.02840, 0.35458, 0.90834, 0.13383, 0.04823, 0.01566, 0.83777 );
  const mat3 ACES_OUT = mat3( 1.60475, -0.10208, -0.00327, -0.53108, 1.10813, -0.07276, -0.07367, -0.00605, 1.07602 );
  vec3 film( vec3 c ) {
    c = ACES_IN * c;
    c = ( c * ( c + 0.0245786 ) - 0.000090537 ) / ( c * ( 0.983729 * c + 0.4329510 ) + 0.238081 );
    return clamp( ACES_OUT * c, 0.0, 1.0 );
  }
  void main() {
    vec3 c = texture2D( source, vUv ).rgb * scale + texture2D( glow, vUv ).rgb * bloom;
    vec2 off = vUv - 0.5;
    c *= tint * ( 1.0 - vignette * dot( off, off ) );
    c = film( c * 1.1 );
    c = mix( vec3( dot( c, vec3( 0.2126, 0.7152, 0.0722 ) ) ), c, saturation );
    c = mix( c * 12.92, 1.055 * pow( max( c, 0.0 ), vec3( 0.41666 ) ) - 0.055, step( 0.0031308, c ) );
    c = clamp( c, 0.0, 1.0 );
    c = mix( c, c * c * ( 3.0 - 2.0 * c ), contrast );
    gl_FragColor = vec4( c, 1.0 );
  }`;

function run(renderer, quad, to) {
  renderer.setRenderTarget(to);
  quad.render(renderer);
}

/**
 * Meters the exposure on a thumbnail: `scale` brings the mean log luminance to `key`, `tint` removes the share
 * `balance` of the colour cast, as a camera's white balance does.
 */
function meter(renderer, exposure, { key, balance, warmth }) {
  const small = target(96, 64);
  const texel = new Vector2(1 / 96 / 4, 1 / 64 / 4);
  run(
    renderer,
    pass(
      {
        source: { value: exposure.texture },
        texel: { value: texel },
        scale: { value: 1 },
        threshold: { value: 0 },
      },
      shrinkFragment,
    ),
    small,
  );
  const pixels = new Uint16Array(96 * 64 * 4);
  renderer.readRenderTargetPixels(small, 0, 0, 96, 64, pixels);
  let sum = 0;
  const cast = [0, 0, 0];
  for (let i = 0; i < pixels.length; i += 4) {
    const [r, g, b] = [pixels[i], pixels[i + 1], pixels[i + 2]].map(halfToNumber);
    const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b + 1e-4;
    sum += Math.log(luminance);
    [r, g, b].forEach((value, channel) => {
      cast[channel] += value / luminance;
    });
  }
  const [r, g, b] = cast.map(value => ((96 * 64) / value) ** balance);
  return {
    scale: key / Math.exp(sum / (96 * 64)),
    tint: new Vector3((r / g) * (1 + warmth), 1, (b / g) * (1 - warmth)),
  };
}

function halfToNumber(h) {
  const exponent = (h >> 10) & 31;
  const fraction = h & 1023;
  return exponent === 0 ? (fraction / 1024) * 2 ** -14 : (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Draws the picture on the renderer's canvas. */
export function develop(
  renderer,
  exposure,
  { key = 0.3, bloom = 0.1, contrast = 0.2, saturation = 1.02, vignette = 0.28, warmth = 0.035, balance = 0.4 } = {},
) {
  const { width, height } = exposure;
  const { scale, tint } = meter(renderer, exposure, { key, balance, warmth });
  const [small, blurred] = [target(width / 4, height / 4), target(width / 4, height / 4)];
  const shrink = {
    source: { value: exposure.texture },
    texel: { value: new Vector2(1 / width, 1 / height) },
    scale: { value: scale },
    threshold: { value: 0.8 },
  };
  run(renderer, pass(shrink, shrinkFragment), small);
  for (const reach of [1, 2.5]) {
    run(
      renderer,
      pass({ source: { value: small.texture }, step: { value: new Vector2((4 * reach) / width, 0) } }, blurFragment),
      blurred,
    );
    run(
      renderer,
      pass({ source: { value: blurred.texture }, step: { value: new Vector2(0, (4 * reach) / height) } }, blurFragment),
      small,
    );
  }
  const uniforms = {
    source: exposure.texture,
    glow: small.texture,
    scale,
    bloom,
    contrast,
    saturation,
    vignette,
    tint,
  };
  run(
    renderer,
    pass(Object.fromEntries(Object.entries(uniforms).map(([k, value]) => [k, { value }])), printFragment),
    null,
  );
}
