/** A job as the service tells it. */
import type { components } from './schema.ts';

export type Job = components['schemas']['Job'];

/** Nothing more happens to it by itself: it has ended, or is held until a person decides. */
export const isAtRest = ({ state }: Job): boolean =>
  ['held', 'succeeded', 'failed', 'cancelled'].includes(state);
