/** `.env.example` says of every variable what the code says of it: neither more nor less. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../..');

const declared = await declaredVariables();
const told = toldVariables(readFileSync(path.join(root, '.env.example'), 'utf8'));

interface Variable {
  /** As an environment variable carries it; '' for none. */
  preset: string;
  sentence: string;
}

async function declaredVariables(): Promise<Map<string, Variable>> {
  const variables = new Map<string, Variable>();
  const files = ['api', 'core', 'workers'].flatMap(folder =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(file => /(^|[/\\-])config\.ts$/.test(file))
      .map(file => path.join(folder, file)),
  );
  for (const file of files) {
    const module: Record<string, unknown> = await import(pathToFileURL(path.join(root, file)).href);
    for (const [name, declaration] of Object.entries(module)) {
      if (!name.endsWith('Config') || !(declaration instanceof z.ZodObject)) continue;
      for (const [variable, schema] of Object.entries(declaration.shape)) {
        if (!(schema instanceof z.ZodType)) continue;
        const preset = schema.safeParse(undefined).data;
        variables.set(variable, { preset: String(preset ?? ''), sentence: schema.description ?? '' });
      }
    }
  }
  return variables;
}

/** A variable is a line `# NAME=default` or `NAME=default`; what stands above it, up to an empty line, is its sentence. */
function toldVariables(text: string): Map<string, Variable> {
  const variables = new Map<string, Variable>();
  let sentence = '';
  for (const line of text.split('\n')) {
    const [, name, preset = ''] = /^(?:# ?)?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) variables.set(name, { preset, sentence });
    sentence = name === undefined && line.startsWith('#') ? `${sentence} ${line.slice(1).trim()}`.trim() : '';
  }
  return variables;
}

const names = (variables: ReadonlyMap<string, Variable>): string[] => [...variables.keys()].sort();

describe('.env.example', () => {
  it('names every variable that the code declares, and no other', () => {
    expect(names(declared)).toContain('PORT');
    expect(names(told)).toEqual(names(declared));
  });

  it('tells every default as it is', () => {
    const presets = (variables: ReadonlyMap<string, Variable>) =>
      Object.fromEntries(names(declared).map(name => [name, variables.get(name)?.preset]));
    expect(presets(told)).toEqual(presets(declared));
  });

  it('has a sentence above each variable, and the code declares one too', () => {
    const without = (variables: ReadonlyMap<string, Variable>) =>
      names(variables).filter(name => !/^\S.+\.( .+)?$/s.test(variables.get(name)?.sentence ?? ''));
    expect(without(told)).toEqual([]);
    expect(without(declared)).toEqual([]);
  });
});
