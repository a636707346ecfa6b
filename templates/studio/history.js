/** Undo and redo of the request, however it was changed: typed, filled in, or replaced by a sample. */

/** Characters that all versions together may have. */
const maxCharacters = 8_000_000;
/** Changes of the same place within this time are undone together. */
const togetherMs = 900;

/** @param {string} first */
export function openHistory(first) {
  let versions = [first];
  let position = 0;
  let lastPlace = '';
  let lastAt = 0;

  /** @param {number} to */
  function move(to) {
    position = to;
    lastPlace = '';
    return versions[position] ?? '';
  }

  return {
    /**
     * @param {string} text
     * @param {string} place of the change; empty: always undone alone
     */
    add(text, place) {
      if (text === versions[position]) return;
      const isSame = place !== '' && place === lastPlace && Date.now() - lastAt < togetherMs && position > 0;
      versions = [...versions.slice(0, isSame ? position : position + 1), text];
      while (versions.length > 2 && versions.reduce((sum, { length }) => sum + length, 0) > maxCharacters)
        versions.shift();
      position = versions.length - 1;
      lastPlace = place;
      lastAt = Date.now();
    },
    canUndo: () => position > 0,
    canRedo: () => position < versions.length - 1,
    /** @returns the text before the last change */
    undo: () => move(Math.max(0, position - 1)),
    redo: () => move(Math.min(versions.length - 1, position + 1)),
  };
}
