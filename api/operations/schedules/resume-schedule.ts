import { pauseOperation } from './pause-operation.ts';

export default pauseOperation(
  'resume',
  'Resume a paused schedule. Runs that were due during the pause are not caught up.',
);
