/** `.env.example` lists every variable that the code declares, with its default and a description. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../..');

const declared = await declaredVariables();
const documented = documentedVariables(readFileSync(path.join(root, '.env.example'), 'utf8'));

interface Variable {
  /** As text; '' for none. */
  defaultValue: string;
  description: string;
}

async function declaredVariables(): Promise<Map<string, Variable>> {
  const variables = new Map<string, Variable>();
  const files = ['api', 'core', 'workers'].flatMap(folder =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts'))
      .map(file => path.join(folder, file))
      .filter(file => /^export const \w+Config = z\b/m.test(readFileSync(path.join(root, file), 'utf8'))),
  );
  for (const file of files) {
    const module: Record<string, unknown> = await import(pathToFileURL(path.join(root, file)).href);
    for (const [name, declaration] of Object.entries(module)) {
      if (!name.endsWith('Config') || !(declaration instanceof z.ZodObject)) continue;
      for (const [variable, schema] of Object.entries(declaration.shape)) {
        if (!(schema instanceof z.ZodType)) continue;
        const defaultValue = schema.safeParse(undefined).data;
        variables.set(variable, { defaultValue: String(defaultValue ?? ''), description: schema.description ?? '' });
      }
    }
  }
  return variables;
}

/** A variable is a line `# NAME=default` or `NAME=default`; the comment lines directly above describe it. */
function documentedVariables(text: string): Map<string, Variable> {
  const variables = new Map<string, Variable>();
  let description = '';
  for (const line of text.split('\n')) {
    const [, name, defaultValue = ''] = /^(?:# ?)?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) variables.set(name, { defaultValue, description });
    description = name === undefined && line.startsWith('#') ? `${description} ${line.slice(1).trim()}`.trim() : '';
  }
  return variables;
}

const names = (variables: ReadonlyMap<string, Variable>): string[] => [...variables.keys()].sort();

describe('.env.example', () => {
  it('lists exactly the variables that the code declares', () => {
    expect(names(declared)).toContain('PORT');
    expect(names(documented)).toEqual(names(declared));
  });

  it('states every default', () => {
    const defaults = (variables: ReadonlyMap<string, Variable>) =>
      Object.fromEntries(names(declared).map(name => [name, variables.get(name)?.defaultValue]));
    expect(defaults(documented)).toEqual(defaults(declared));
  });

  it('describes each variable in a sentence, as the code does', () => {
    const undescribed = (variables: ReadonlyMap<string, Variable>) =>
      names(variables).filter(name => !/^\S.+\.( .+)?$/s.test(variables.get(name)?.description ?? ''));
    expect(undescribed(documented)).toEqual([]);
    expect(undescribed(declared)).toEqual([]);
  });
});
