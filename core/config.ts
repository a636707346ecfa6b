/** Reads the configuration: each part declares its own variables as a zod object; all faults are told at once. */
import { z } from 'zod';

/** The configuration cannot be used; `message` has a sentence for each variable that is wrong. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Parses the environment by a part's declaration. An empty variable counts as unset.
 * @throws ConfigurationError naming every variable that is wrong
 */
export function readConfig<T extends z.ZodObject>(
  declaration: T,
  env: Environment = process.env,
): z.output<T> {
  const parsed = declaration.safeParse(given(env));
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(sentences(parsed.error).join('\n'));
}

/** @throws ConfigurationError naming every variable that is wrong by any of the declarations */
export function checkConfig(declarations: readonly z.ZodObject[], env: Environment = process.env): void {
  const wrong = declarations.flatMap(declaration => {
    const { error } = declaration.safeParse(given(env));
    return error ? sentences(error) : [];
  });
  if (wrong.length > 0) throw new ConfigurationError([...new Set(wrong)].join('\n'));
}

const given = (env: Environment) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));

/** Values are never repeated: they may be secrets. */
const sentences = (error: z.ZodError): string[] =>
  error.issues.map(issue => `${issue.path.join('.') || 'The configuration'} ${issue.message}.`);

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
