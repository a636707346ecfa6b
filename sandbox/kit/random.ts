/** A pseudo-random generator with a fixed seed: all seed data is the same in every run. */

export interface Random {
  /** 0 <= value < 1. */
  next(): number;
  /** An integer; both bounds are inclusive. */
  whole(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** A string of lower-case hexadecimal digits. */
  hex(digits: number): string;
}

/** @param seed a name; the same name gives the same sequence, independent of other generators */
export function createRandom(seed: string): Random {
  let state = hashOf(seed);
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    whole,
    chance: probability => next() < probability,
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error('pick() needs a non-empty list');
      return item;
    },
    hex: digits => Array.from({ length: digits }, () => whole(0, 15).toString(16)).join(''),
  };
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash;
}
