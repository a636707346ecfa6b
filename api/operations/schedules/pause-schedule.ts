import { pauseOperation } from './pause-operation.ts';

export default pauseOperation(
  'pause',
  'Pause a schedule in all schedulers, also across restarts, until it is resumed. A running job continues.',
);
