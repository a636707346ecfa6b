/** The settings: what is wrong, and what was probably mistyped. */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigurationError, checkConfig } from '../../runtime/config.ts';
import { type Finding, failure, ok, warning } from '../../runtime/finding.ts';
import { defineCheck } from '../check.ts';
import type { Environment } from '../context.ts';
import { declarations, variablesOf } from '../declared-variables.ts';
import { nearMiss } from '../near-miss.ts';

export default defineCheck({
  name: 'configuration',
  async look({ env }) {
    const declared = await declarations();
    const variables = variablesOf(declared);
    const findings = [...wrongOnes(declared, env), ...unknownOnes(env, variables)];
    if (findings.length > 0) return findings;
    const count = Object.keys(env).filter(name => isDeclared(name, variables)).length;
    return ok(`${env.NODE_ENV || 'development'}, ${count} of ${variables.size} variables set`);
  },
});

function wrongOnes(declared: Parameters<typeof checkConfig>[0], env: Environment): Finding[] {
  try {
    checkConfig(declared, env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message.split('\n').map(sentence => failure(sentence.replace(/\.$/, ''), 'correct it'));
  }
}

/** Elsewhere than in our own file there are the variables of everybody else, so that only near misses are told. */
function unknownOnes(env: Environment, variables: ReadonlySet<string>): Finding[] {
  const own = ownFile();
  return Object.keys(env)
    .filter(name => !isDeclared(name, variables) && /^[A-Z][A-Z0-9_]*$/.test(name))
    .flatMap(name => {
      const meant = nearMiss(name, variables);
      if (meant !== undefined && !env[meant])
        return warning(`${name} is none of the service's variables`, `write ${meant}, if that is meant`);
      return own.has(name)
        ? warning(`${name} in .env is none of the service's variables`, 'see .env.example; or leave it out')
        : [];
    });
}

const ownFile = (): Set<string> =>
  new Set(existsSync('.env') ? Object.keys(parseEnv(readFileSync('.env', 'utf8'))) : []);

/** Each may also be given as a file. */
const isDeclared = (name: string, variables: ReadonlySet<string>): boolean =>
  variables.has(name) || variables.has(name.replace(/_FILE$/, ''));
