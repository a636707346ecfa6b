/** The options of the brochure: brand, language, quality, crop marks, pages, gallery and cover. */
import { byId, isObject } from './dom.js';
import { textOf, valueAt } from './values.js';

/**
 * @param {(path: string, value: unknown) => void} onEdit
 */
export function openOptions(onEdit) {
  const cover = byId('cover', HTMLSelectElement);
  const coverTexts = {
    'cover/for': byId('cover-for', HTMLInputElement),
    'cover/note': byId('cover-note', HTMLTextAreaElement),
  };
  const names = ['brand', 'language', 'quality', 'cropMarks', 'pages', 'gallery'];
  const selects = names.map(name => byId(name, HTMLSelectElement));

  for (const select of selects) {
    select.addEventListener('change', () => {
      const { id, value } = select;
      onEdit(id, value === 'true' || value || undefined);
    });
  }
  cover.addEventListener('change', () => {
    const { value } = cover;
    onEdit('cover', value === '' ? undefined : value === 'list' ? true : { for: '', note: '' });
    if (value === 'own') coverTexts['cover/for'].focus();
  });
  for (const [path, input] of Object.entries(coverTexts))
    input.addEventListener('input', () => onEdit(path, input.value));

  return {
    /** @param {unknown} body */
    show(body) {
      for (const select of selects) {
        const value = textOf(valueAt(body, select.id));
        // The default, or a value that the JSON editor has and the list lacks.
        const isDefault = ['en', 'screen', 'fixed', 'standard'].includes(value);
        if (value !== '' && !isDefault && ![...select.options].some(option => option.value === value))
          select.add(new Option(value, value));
        select.value = isDefault ? '' : value;
      }
      const wanted = valueAt(body, 'cover');
      cover.value = isObject(wanted) ? 'own' : wanted === true ? 'list' : '';
      for (const part of document.querySelectorAll('[data-cover]'))
        part.toggleAttribute('hidden', cover.value !== 'own');
      for (const [path, input] of Object.entries(coverTexts)) {
        const text = textOf(valueAt(body, path));
        if (input.value !== text) input.value = text;
      }
    },
    /** @param {unknown} answer of `GET /brands` */
    showBrands(answer) {
      const items = isObject(answer) && Array.isArray(answer.items) ? answer.items.filter(isObject) : [];
      if (items.length > 0)
        selects[0]?.replaceChildren(...items.map(({ brand, name }) => new Option(String(name), textOf(brand))));
    },
    /** @param {string} pointer @returns whether an option has it */
    focus(pointer) {
      const id = pointer.slice(1).replace('/', '-');
      const control = document.getElementById(id);
      control?.focus();
      return control !== null && id !== '' && document.activeElement === control;
    },
  };
}
