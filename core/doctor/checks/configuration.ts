/** The environment: invalid values, and variables that are probably mistyped. */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { ConfigurationError, checkConfig } from '../../runtime/config.ts';
import { type CheckFinding, failure, ok, warning } from '../../runtime/finding.ts';
import { configModules } from '../../runtime/module-files.ts';
import { closestName } from '../../values/closest-name.ts';
import type { Check } from '../check.ts';
import type { Environment } from '../context.ts';

/** Loads all modules with declarations before the first check, whose time limits would otherwise include their loading. */
export default async function configurationChecks(): Promise<Check[]> {
  const declared = await configDeclarations();
  return [configurationCheck(declared)];
}

const configurationCheck = (declared: readonly z.ZodObject[]): Check => ({
  name: 'configuration',
  async run({ env }) {
    const variables = variablesOf(declared);
    const findings = [...invalidValues(declared, env), ...unknownVariables(env, variables)];
    if (findings.length > 0) return findings;
    const count = Object.keys(env).filter(name => isDeclared(name, variables)).length;
    return ok(`${env.NODE_ENV || 'development'}, ${count} of ${variables.size} variables set`);
  },
});

/** Every declaration of variables in `api`, `core` and `workers`. */
export async function configDeclarations(): Promise<z.ZodObject[]> {
  const modules = await Promise.all((await configModules()).map(({ load }) => load()));
  return modules
    .flatMap(Object.entries)
    .flatMap(([name, exported]) => (name.endsWith('Config') && exported instanceof z.ZodObject ? [exported] : []));
}

export const variablesOf = (declared: readonly z.ZodObject[]): Set<string> =>
  new Set(declared.flatMap(one => Object.keys(one.shape)));

function invalidValues(declared: readonly z.ZodObject[], env: Environment): CheckFinding[] {
  try {
    checkConfig(declared, env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message.split('\n').map(sentence => failure(sentence.replace(/\.$/, ''), 'correct it'));
  }
}

/** The environment also holds variables of other programs: outside `.env`, only likely typing errors are reported. */
function unknownVariables(env: Environment, variables: ReadonlySet<string>): CheckFinding[] {
  const inFile = new Set(existsSync('.env') ? Object.keys(parseEnv(readFileSync('.env', 'utf8'))) : []);
  return Object.keys(env)
    .filter(name => !isDeclared(name, variables) && /^[A-Z][A-Z0-9_]*$/.test(name))
    .flatMap(name => {
      const suggestion = closestName(name, variables);
      if (suggestion !== undefined && !env[suggestion])
        return warning(`${name} is not a variable of the service`, `did you mean ${suggestion}?`);
      return inFile.has(name)
        ? warning(`${name} in .env is not a variable of the service`, 'see .env.example, or remove it')
        : [];
    });
}

/** Each variable may also be given as `<name>_FILE`. */
const isDeclared = (name: string, variables: ReadonlySet<string>): boolean =>
  variables.has(name) || variables.has(name.replace(/_FILE$/, ''));
