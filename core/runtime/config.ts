/** Reads the configuration: each part declares its own variables as a zod object; all faults are told at once. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The configuration cannot be used; `message` has a sentence for each variable that is wrong. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Parses the environment by a part's declaration. An empty variable counts as unset. Instead of `NAME`, `NAME_FILE` may
 * name a file that holds the value, as Docker's and Kubernetes' secrets do.
 * @throws ConfigurationError naming every variable that is wrong
 */
export function readConfig<T extends z.ZodObject>(
  declaration: T,
  env: Environment = process.env,
): z.output<T> {
  const { config, faults } = parse(declaration, env);
  if (config === undefined) throw new ConfigurationError(faults.join('\n'));
  return config;
}

/** @throws ConfigurationError naming every variable that is wrong by any of the declarations */
export function checkConfig(declarations: readonly z.ZodObject[], env: Environment = process.env): void {
  const wrong = declarations.flatMap(declaration => parse(declaration, env).faults);
  if (wrong.length > 0) throw new ConfigurationError([...new Set(wrong)].join('\n'));
}

/**
 * Whether a variable has a value, in the environment itself or in the file that `<name>_FILE` names.
 * @throws ConfigurationError when that file cannot be read, or both are set
 */
export const isSet = (name: string, env: Environment = process.env): boolean =>
  givenValue(name, env) !== undefined;

/** The environment with some variables set: also what the file would have said of them. */
export const withSettings = (env: Environment, settings: Environment): Environment => ({
  ...env,
  ...settings,
  ...Object.fromEntries(Object.keys(settings).map(name => [`${name}${fileSuffix}`, undefined])),
});

type Parsed<T> = { config: T; faults: [] } | { config?: undefined; faults: string[] };

function parse<T extends z.ZodObject>(declaration: T, env: Environment): Parsed<z.output<T>> {
  const given: Record<string, string> = {};
  const unreadable = new Map<string, string>();
  for (const name of Object.keys(declaration.shape)) {
    try {
      const value = givenValue(name, env);
      if (value !== undefined) given[name] = value;
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      unreadable.set(name, error.message);
    }
  }
  const parsed = declaration.safeParse(given);
  if (parsed.success && unreadable.size === 0) return { config: parsed.data, faults: [] };
  // Of a variable whose file cannot be read it would only be said that it is missing.
  const issues = (parsed.error?.issues ?? []).filter(issue => !unreadable.has(String(issue.path[0])));
  return { faults: [...unreadable.values(), ...issues.map(sentence)] };
}

const fileSuffix = '_FILE';

function givenValue(name: string, env: Environment): string | undefined {
  const fileVariable = name + fileSuffix;
  const file = env[fileVariable];
  if (!file) return env[name] || undefined;
  if (env[name]) throw new ConfigurationError(`${name} and ${fileVariable} are both set: leave out one.`);
  return readValue(file, fileVariable) || undefined;
}

/** Editors and `echo` end a file with a line feed that is not meant. */
function readValue(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : 'unknown';
    throw new ConfigurationError(`${variable} names a file that cannot be read: ${file} (${reason}).`);
  }
}

/** Values are never repeated: they may be secrets. */
const sentence = (issue: z.core.$ZodIssue): string =>
  `${issue.path.join('.') || 'The configuration'} ${issue.message}.`;

/** A whole number in a range, as environment variables carry it. */
export const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.string().regex(/^\d+$/, error).transform(Number).pipe(z.number().min(min, error).max(max, error));
};

/** `true` or `false`. */
export const yesOrNo = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform(value => value === 'true');

/** An absolute http or https address without credentials; a trailing slash is dropped. */
export const httpAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform(address => address.replace(/\/+$/, ''));
