/** What a person reads when the embedded PostgreSQL cannot be had: what happened, the next step, PostgreSQL's own words. */

export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';

  /**
   * @param sentence what happened and the next step
   * @param output what PostgreSQL printed; its last lines are shown
   */
  constructor(sentence: string, output = '') {
    const lines = output.trim().split('\n').slice(-15).join('\n');
    super(lines === '' ? sentence : `${sentence}\nPostgreSQL said:\n${lines}`);
  }
}

/** The way out that always works. */
export const useOwnServer = 'set DATABASE_URL to a PostgreSQL of your own';
