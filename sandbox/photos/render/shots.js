// The photos by name: scene, viewpoint, palette and light. Listings use 01-09, 10-18 and 19-24.
import { bathroom } from './scenes/bathroom.js';
import { bedroom, kidsRoom } from './scenes/bedroom.js';
import { closet } from './scenes/closet.js';
import { dining } from './scenes/dining.js';
import { garden } from './scenes/garden.js';
import { gym } from './scenes/gym.js';
import { highRise } from './scenes/high-rise.js';
import { kitchen } from './scenes/kitchen.js';
import { living, lounge } from './scenes/living.js';
import { lobby } from './scenes/lobby.js';
import { majlis } from './scenes/majlis.js';
import { office } from './scenes/office.js';
import { street } from './scenes/street.js';
import { balcony, terrace } from './scenes/terrace.js';
import { villa } from './scenes/villa.js';
import { beach, infinityPool, marina } from './scenes/waterfront.js';

const portrait = [1280, 1920];
const large = [4000, 3000];
/** Outdoors, the sky provides most of the light. */
const outdoor = { sky: 4, direct: 0, bounced: 1 };
const outdoorLit = { sky: 3, direct: 3, bounced: 1 };

export const shots = {
  // A villa with a pool.
  '01': { scene: villa, time: 'dusk', lights: outdoorLit },
  '02': { scene: living },
  '03': { scene: kitchen },
  '04': { scene: bedroom },
  '05': { scene: bathroom },
  '06': { scene: terrace, lights: outdoorLit },
  '07': {
    scene: villa,
    time: 'day',
    azimuth: -0.5,
    elevation: 0.6,
    from: [-9, 1.8, 15],
    to: [1, 2.4, 0],
    lights: outdoorLit,
  },
  '08': { scene: dining },
  '09': { scene: garden, lights: outdoor },
  // A penthouse on the marina.
  10: { scene: marina, lights: outdoor },
  11: { scene: living, style: 'penthouse', time: 'night', view: 'downtown' },
  12: { scene: kitchen, style: 'dark', view: 'marina', storey: 24 },
  13: { scene: bedroom, style: 'tower', view: 'marina', storey: 24, time: 'day' },
  14: { scene: bathroom, style: 'warm', view: 'sea', storey: 24, degrees: 58, size: portrait },
  15: { scene: balcony, lights: outdoorLit },
  16: { scene: office },
  17: { scene: infinityPool, lights: outdoor },
  18: { scene: highRise, size: portrait, lights: outdoor },
  // A townhouse by the golf course and the beach.
  19: { scene: street, lights: outdoor },
  20: { scene: lounge },
  21: { scene: kidsRoom },
  22: { scene: closet, size: portrait },
  23: { scene: gym },
  24: { scene: balcony, view: 'golf', time: 'morning', lights: outdoorLit },
  25: { scene: beach, lights: outdoor },
  26: { scene: majlis },
  27: { scene: lobby, size: portrait },
  big01: {
    scene: villa,
    time: 'sunset',
    azimuth: 1.9,
    from: [3.4, 1.8, 17.5],
    to: [-0.4, 2.6, 0],
    size: large,
    lights: outdoorLit,
    frames: 16,
  },
  big02: { scene: living, style: 'coast', view: 'sea', storey: 22, size: large, frames: 16 },
  big03: { scene: marina, time: 'sunset', from: [26, 11, 165], size: large, lights: outdoor, frames: 16 },
};
