// The photos by name: which scene, from where, in which palette and light.
import { living } from './scenes/living.js';
import { villa } from './scenes/villa.js';

const exterior = { sky: 4, direct: 2, bounced: 1 };

export const shots = {
  '01': { scene: villa, time: 'dusk', lights: exterior },
  '02': { scene: living },
  '07': { scene: villa, time: 'day', lights: exterior, from: [-9, 1.8, 15], to: [1, 2.4, 0] },
};
