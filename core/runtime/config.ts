/** Reads the configuration from environment variables; each module declares its own as a zod object. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { codeOf } from './error-code.ts';

/** The configuration is invalid; `message` has one sentence for each wrong variable. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * An empty variable counts as unset. `NAME_FILE` may give the path of a file with the value of `NAME` (Docker and
 * Kubernetes secrets).
 * @throws ConfigurationError naming every wrong variable
 */
export function readConfig<T extends z.ZodObject>(declaration: T, env: Environment = process.env): z.output<T> {
  const { config, faults } = parse(declaration, env);
  if (config === undefined) throw new ConfigurationError(faults.join('\n'));
  return config;
}

/** @throws ConfigurationError naming every wrong variable of all declarations */
export function checkConfig(declarations: readonly z.ZodObject[], env: Environment = process.env): void {
  const faults = declarations.flatMap(declaration => parse(declaration, env).faults);
  if (faults.length > 0) throw new ConfigurationError([...new Set(faults)].join('\n'));
}

/**
 * Whether `NAME` or `NAME_FILE` has a value.
 * @throws ConfigurationError when the file cannot be read, or both are set
 */
export const isSet = (name: string, env: Environment = process.env): boolean => givenValue(name, env) !== undefined;

/** The environment with these variables set; they also override their `NAME_FILE`. */
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
  const parsed = declaration.safeParse(given, { jitless: true });
  if (parsed.success && unreadable.size === 0) return { config: parsed.data, faults: [] };
  // Without "is missing" errors for variables whose file cannot be read.
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

/** Without the line feed that editors and `echo` add at the end. */
function readValue(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const reason = codeOf(error) || 'unknown';
    throw new ConfigurationError(`${variable} names a file that cannot be read: ${file} (${reason}).`);
  }
}

/** Never contains the value: it may be secret. */
const sentence = (issue: z.core.$ZodIssue): string =>
  `${issue.path.join('.') || 'The configuration'} ${issue.message}.`;

/** The text of a whole number in a range. */
export const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.string().regex(/^\d+$/, error).transform(Number).pipe(z.number().min(min, error).max(max, error));
};

/** The parts that are not empty, without spaces around them. */
export const commaSeparated = (text: string): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');

export const trueOrFalse = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform(value => value === 'true');

/** An http or https URL; trailing slashes are dropped. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform(address => address.replace(/\/+$/, ''));
