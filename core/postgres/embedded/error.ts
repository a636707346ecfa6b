import { StartError } from '../../runtime/start-error.ts';

/** The embedded PostgreSQL cannot be used: what happened, the next step, and PostgreSQL's output. */
export class EmbeddedPostgresError extends StartError {
  override readonly name = 'EmbeddedPostgresError';

  /**
   * @param sentence what happened and the next step
   * @param output what PostgreSQL printed; its last lines are shown
   */
  constructor(sentence: string, output = '') {
    const lines = output.trim().split('\n').slice(-15).join('\n');
    super(lines === '' ? sentence : `${sentence}\nOutput of PostgreSQL:\n${lines}`);
  }
}

export const useOwnServer = 'set DATABASE_URL to a PostgreSQL of your own';
