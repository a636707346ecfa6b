/** A variable's value as a part would read it: from the environment, or from the file that `<name>_FILE` names. */
import { z } from 'zod';
import { ConfigurationError, readConfig } from '../runtime/config.ts';
import type { Environment } from './context.ts';

/** Undefined also where the file cannot be read: the configuration's own check says so. */
export function settingOf(name: string, env: Environment): string | undefined {
  try {
    return readConfig(z.object({ [name]: z.string().optional() }), env)[name];
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}
