// The stage of a photo: the three.js scene, its light sources, mirrors and camera.
import { PerspectiveCamera, Scene, Vector3 } from 'three';
import { seededRandom } from './light/random.js';

export class Stage {
  constructor({ seed, aspect }) {
    this.scene = new Scene();
    this.random = seededRandom(seed);
    this.camera = new PerspectiveCamera(40, aspect, 0.05, 6000);
    this.aspect = aspect;
    /** Windows and lamps; `apertures` are the windows the sun shines through. */
    this.sources = [];
    this.apertures = [];
    this.sun = undefined;
    this.sky = undefined;
    this.mirrors = [];
    /** Centre and radius, in metres, of the area with shadows of sun and sky. */
    this.focus = new Vector3();
    this.radius = 12;
    /** Range of a room's virtual lights, in metres. */
    this.reach = 40;
    /** Bounds of a room for reflections: `{ min, max, centre }`. */
    this.room = undefined;
  }

  add(...objects) {
    this.scene.add(...objects.flat(4).filter(Boolean));
    return this;
  }

  light(...sources) {
    this.sources.push(...sources.flat().filter(Boolean));
    return this;
  }

  /**
   * Sets the camera: `degrees` is the angle of view of the longer side, `aperture` the radius of the lens and `focus`
   * the focus distance, both in metres.
   */
  look({ from, to, degrees, aperture = this.room ? 0.012 : 0, focus = 3.8, upright = true }) {
    const half = Math.tan((degrees * Math.PI) / 360);
    this.camera.fov = (Math.atan(this.aspect >= 1 ? half / this.aspect : half) * 360) / Math.PI;
    this.camera.aspect = this.aspect;
    return { from: new Vector3(...from), to: new Vector3(...to), aperture, focus, upright };
  }

  inRoom(min, max) {
    this.room = {
      min,
      max,
      centre: [(min[0] + max[0]) / 2, Math.min(1.6, (min[1] + max[1]) / 2), (min[2] + max[2]) / 2],
    };
    this.focus.set((min[0] + max[0]) / 2, 0, (min[2] + max[2]) / 2);
    this.radius = Math.hypot(max[0] - min[0], max[2] - min[2]) / 2 + 1;
  }
}
