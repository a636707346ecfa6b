/** The job resource of the API. */
import type { components } from './schema.ts';

export type Job = components['schemas']['Job'];

/** Whether the job has ended, or is held until a person decides. */
export const isAtRest = ({ state }: Job): boolean => ['held', 'succeeded', 'failed', 'cancelled'].includes(state);
