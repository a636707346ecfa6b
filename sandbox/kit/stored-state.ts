/** Stores what was changed in the systems, so that it survives a restart: a file for each collection and the settings. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { OpenedSystem } from './open-system.ts';

/** What SIGKILL may lose. */
const saveEveryMs = 2_000;

/** Restores the state from the folder, and saves it there every two seconds and when the process ends. */
export function keepState(systems: Iterable<OpenedSystem>, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const parts = [...systems].flatMap(partsOf);
  for (const { name, restore } of parts) {
    const file = path.join(folder, name);
    if (existsSync(file)) restore(JSON.parse(readFileSync(file, 'utf8')));
  }
  const saved = new Map(parts.map(({ name, changed }) => [name, changed()]));
  const save = () => {
    for (const { name, changed } of parts) {
      const value = changed();
      if (value === saved.get(name)) continue;
      const file = path.join(folder, name);
      if (value === undefined) rmSync(file, { force: true });
      else writeFileSync(`${file}.draft`, typeof value === 'string' ? value : JSON.stringify(value));
      if (value !== undefined) renameSync(`${file}.draft`, file);
      saved.set(name, value);
    }
  };
  setInterval(save, saveEveryMs).unref();
  process.once('exit', save);
}

interface Part {
  name: string;
  /** Another value after each change; undefined while nothing is changed. */
  changed(): readonly unknown[] | string | undefined;
  restore(stored: unknown[]): void;
}

/** The settings first: seeds depend on them. */
function partsOf({ name, settings, collections }: OpenedSystem): Part[] {
  const defaults = JSON.stringify(settings.schema.parse({}));
  return [
    {
      name: `${name}.settings.json`,
      changed() {
        const current = JSON.stringify(settings.current());
        return current === defaults ? undefined : current;
      },
      restore: stored => settings.change(settings.schema.parse(stored)),
    },
    ...[...collections].map(([collection, { changedRows, restore }]) => ({
      name: `${name}.${collection}.json`,
      changed: changedRows,
      restore,
    })),
  ];
}
