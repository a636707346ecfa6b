// Planar reflections (water, polished floor, glass at night, mirror): the scene rendered from behind the surface.
import {
  HalfFloatType,
  LinearFilter,
  Matrix4,
  PerspectiveCamera,
  Plane,
  Vector3,
  Vector4,
  WebGLRenderTarget,
} from 'three';

/** A mirror in the plane through `point` with `normal`; `blur` tilts it randomly, so that the mean of frames is glossy. */
export class Mirror {
  constructor({ point, normal, blur = 0, hides = [], scale = 0.6 }) {
    Object.assign(this, { point, normal: normal.clone().normalize(), blur, hides, scale });
    this.matrix = new Matrix4();
    this.uniforms = { mirrorMap: { value: null }, mirrorMatrix: { value: this.matrix } };
    this.camera = new PerspectiveCamera();
  }

  render(renderer, scene, camera, { random, width, height }) {
    this.target ??= new WebGLRenderTarget(Math.round(width * this.scale), Math.round(height * this.scale), {
      type: HalfFloatType,
      minFilter: LinearFilter,
      magFilter: LinearFilter,
    });
    this.uniforms.mirrorMap.value = null;
    const tilt = new Vector3(random() - 0.5, random() - 0.5, random() - 0.5).multiplyScalar(2 * this.blur);
    this.place(camera, this.normal.clone().add(tilt).normalize());
    for (const object of this.hides) object.visible = false;
    renderer.setRenderTarget(this.target);
    renderer.clear();
    renderer.render(scene, this.camera);
    for (const object of this.hides) object.visible = true;
    this.uniforms.mirrorMap.value = this.target.texture;
  }

  /** Places the virtual camera behind the plane and clips at the plane (Lengyel's oblique near plane). */
  place(camera, normal) {
    const eye = new Vector3().setFromMatrixPosition(camera.matrixWorld);
    const reflectPoint = p => p.clone().sub(this.point).reflect(normal).add(this.point);
    const ahead = new Vector3(0, 0, -1).transformDirection(camera.matrixWorld).add(eye);
    const virtual = this.camera;
    virtual.position.copy(reflectPoint(eye));
    virtual.up.set(0, 1, 0).transformDirection(camera.matrixWorld).reflect(normal);
    virtual.lookAt(reflectPoint(ahead));
    virtual.updateMatrixWorld();
    virtual.projectionMatrix.copy(camera.projectionMatrix);
    virtual.projectionMatrix.elements[8] *= -1;
    this.matrix.set(0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1);
    this.matrix.multiply(virtual.projectionMatrix).multiply(virtual.matrixWorldInverse);

    const plane = new Plane()
      .setFromNormalAndCoplanarPoint(this.normal, this.point)
      .applyMatrix4(virtual.matrixWorldInverse);
    const clip = new Vector4(plane.normal.x, plane.normal.y, plane.normal.z, plane.constant);
    const e = virtual.projectionMatrix.elements;
    const q = new Vector4(
      (Math.sign(clip.x) + e[8]) / e[0],
      (Math.sign(clip.y) + e[9]) / e[5],
      -1,
      (1 + e[10]) / e[14],
    );
    clip.multiplyScalar(2 / clip.dot(q));
    e[2] = clip.x;
    e[6] = clip.y;
    e[10] = clip.z + 1;
    e[14] = clip.w;
    virtual.projectionMatrixInverse.copy(virtual.projectionMatrix).invert();
  }
}

/** Makes a physical material reflect the mirror instead of the environment; `ripple` distorts it by the normal map. */
export function reflectIn(material, mirror, ripple = 0) {
  material.defines = { ...material.defines, PLANAR: '', PLANAR_RIPPLE: ripple.toFixed(4) };
  material.onBeforeCompile = shader => {
    Object.assign(shader.uniforms, mirror.uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nuniform mat4 mirrorMatrix;\nvarying vec4 vMirrorCoord;')
      .replace(
        '#include <project_vertex>',
        '#include <project_vertex>\nvMirrorCoord = mirrorMatrix * modelMatrix * vec4( transformed, 1.0 );',
      );
  };
  material.customProgramCacheKey = () => `planar ${ripple}`;
  return material;
}
