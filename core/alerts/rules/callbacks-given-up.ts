/** Receivers were not told of the end of their jobs, and will not be. */
import { givenUpCallbacks } from '../../jobs/repository/health.ts';
import { counted } from '../duration-text.ts';
import { defineRule, wholeService } from '../rule.ts';

const hours = 24;

export default defineRule({
  id: 'callbacks-given-up',
  severity: 'warning',
  summary: `Callbacks were given up within the last ${hours} hours: their receivers took none of the tries.`,
  mend:
    'The jobs’ timelines say what the receivers answered. Ask those who run them; the results can still be fetched ' +
    'from GET /jobs/{id}.',
  lastsSeconds: 0,
  async find({ database }) {
    const count = await givenUpCallbacks(database, hours);
    const what = `${counted(count, 'callback')} given up within the last ${hours} hours.`;
    return count === 0 ? [] : [{ subject: wholeService, what }];
  },
});
