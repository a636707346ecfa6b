/** Lets a test file fail that a change prevents from loading: StrykerJS reads the results of tests only. */
import { TestRunner, test } from 'vitest';

export default class MutationTestRunner extends TestRunner {
  override async importFile(path: string, source: 'collect' | 'setup'): Promise<unknown> {
    try {
      return await super.importFile(path, source);
    } catch (error) {
      if (source === 'setup') throw error;
      test('is loaded', () => Promise.reject(error));
    }
  }
}
