/** The designs as they stand on the disk: loaded anew whenever someone saves a template, a style sheet or a brand. */
import { type FSWatcher, watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrandsConfig } from '../../../core/domain/brands/config.ts';
import { type ChooseDesign, openDesigns } from '../layout/choose-design.ts';

const templates = fileURLToPath(new URL('../../../templates/', import.meta.url));

/** Editors save in several steps: what follows within this time belongs together. */
const settleMs = 80;

export interface LiveDesigns {
  /** @throws what is wrong with the templates as they stand */
  choose: ChooseDesign;
  /** Calls back after each change, until what it returns is called. */
  onChange(listener: () => void): () => void;
  close(): void;
}

export function watchDesigns(config: BrandsConfig): LiveDesigns {
  const listeners = new Set<() => void>();
  let opening: Promise<ChooseDesign> | undefined;
  let settling: NodeJS.Timeout | undefined;

  const changed = () => {
    clearTimeout(settling);
    settling = setTimeout(() => {
      opening = undefined;
      for (const listener of listeners) listener();
    }, settleMs);
  };
  const folders = [templates, ...(config.BRANDS_DIR === undefined ? [] : [config.BRANDS_DIR])];
  const watchers: FSWatcher[] = folders.map(folder => watch(folder, { recursive: true }, changed));

  return {
    async choose(choice) {
      opening ??= openDesigns(config);
      return await (await opening)(choice);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      clearTimeout(settling);
      for (const watcher of watchers) watcher.close();
    },
  };
}
