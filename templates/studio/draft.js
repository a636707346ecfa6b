/** What survives a reload: the request and the kind of login, never a token or a secret. */
import { isObject } from './dom.js';

const key = 'portal-service-studio';

/** @typedef {{ text?: string | undefined, index: number, login?: string | undefined }} Draft */

/** @returns {Draft} */
export function loadDraft() {
  const none = { index: 0 };
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? '{}');
    if (!isObject(stored)) return none;
    const { text, index, login } = stored;
    return {
      index: typeof index === 'number' ? index : 0,
      ...(typeof text === 'string' && { text }),
      ...(typeof login === 'string' && { login }),
    };
  } catch {
    // Storage is switched off, or holds something else.
    return none;
  }
}

/** @param {Partial<Draft>} changed */
export function saveDraft(changed) {
  try {
    localStorage.setItem(key, JSON.stringify({ ...loadDraft(), ...changed }));
  } catch {
    // Storage is switched off or full: the request is kept until the page closes.
  }
}
