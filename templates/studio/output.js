/** What is made of the request: the preview, the PDF, and the code that makes the same call. */
import { ApiProblem } from './api.js';
import { byId, counted, isObject, setText } from './dom.js';
import { openPreview } from './preview.js';
import { print, save } from './print.js';
import { curlOf, typeScriptOf } from './snippets.js';
import { listOf } from './values.js';

/** @typedef {import('./preview.js').Design} Design */

const enlargedDpi = 150;

/**
 * @param {import('./api.js').Api} api
 * @param {{ warn: (warnings: readonly { pointer: string, detail: string }[]) => void, textOf: () => string }} page
 */
export function openOutput(api, { warn, textOf }) {
  const places = { classic: pagesOf('classic'), new: pagesOf('new'), cover: pagesOf('cover') };
  const problem = byId('preview-problem', HTMLElement);
  /** @type {unknown} */
  let body;
  let index = 0;
  let shown = 'both';
  let format = 'json';
  let lastPreview = '';
  /** The preview belongs to the request, or cannot be made although the request is valid. */
  let isSettled = false;
  let isPrinting = false;
  let timer = 0;

  const preview = openPreview(api, places, {
    onShown(ms) {
      setText(byId('preview-time', HTMLElement), `${(ms / 1_000).toFixed(2)} s`);
      setText(problem, '');
      showButtons(true);
    },
    onFailed(error) {
      lastPreview = '';
      const isInput = error instanceof ApiProblem && error.faults.length > 0;
      showButtons(!isInput);
      setText(
        problem,
        isInput
          ? 'The preview waits until the errors are corrected.'
          : `No preview: ${error instanceof Error ? error.message : error}`,
      );
      const retryAfter = error instanceof ApiProblem ? error.retryAfterSeconds : undefined;
      if (retryAfter) timer = window.setTimeout(requestPreview, retryAfter * 1_000);
    },
    async onEnlarge(view, alt) {
      const dialog = byId('enlarged', HTMLDialogElement);
      const sheet = dialog.querySelector('.sheet');
      const request = previewRequest();
      if (!request || !sheet) return;
      const image = new Image();
      image.alt = alt;
      image.src = await preview.render(view, enlargedDpi, request);
      dialog.addEventListener('close', () => URL.revokeObjectURL(image.src), { once: true });
      sheet.replaceChildren(image);
      dialog.showModal();
    },
  });

  function previewRequest() {
    const list = listOf(body);
    const listing = list[index];
    if (!isObject(body) || listing === undefined) return undefined;
    const { language, brand, cover, deliver } = body;
    const hasCover = isObject(cover) || (cover === true && list.length > 3);
    const options = { ...(language !== undefined && { language }), ...(brand !== undefined && { brand }) };
    const { subject, message } = isObject(deliver) && isObject(deliver.email) ? deliver.email : {};
    return {
      list: /** @type {[unknown]} */ ([listing]),
      ...options,
      ...(shown === 'mail' && { mail: { ...options, list, ...(hasCover && { cover }), mail: { subject, message } } }),
      ...(hasCover && { withCover: { list, cover } }),
    };
  }

  /** Marks the pages as out of date at once, and requests new ones when they can be seen. */
  function requestPreview() {
    clearTimeout(timer);
    const request = previewRequest();
    const key = request && api.user !== undefined ? JSON.stringify([request, shown]) : '';
    if (key === lastPreview && key !== '') return;
    lastPreview = '';
    preview.outdate();
    // Without a listing, pages of an earlier one would be taken for it.
    if (!request && body !== undefined) preview.clear();
    setText(byId('preview-time', HTMLElement), preview.isEmpty() ? '' : 'Out of date');
    showButtons(false);
    if (!request || key === '' || !isVisible()) return;
    lastPreview = key;
    preview.request(request);
  }

  /** @param {boolean} [settled] */
  function showButtons(settled = isSettled) {
    isSettled = settled;
    const isOff = isPrinting || !isSettled || body === undefined || api.user === undefined;
    for (const button of document.querySelectorAll('[data-print]')) button.toggleAttribute('disabled', isOff);
  }

  function showCode() {
    byId('editor', HTMLElement).hidden = format !== 'json';
    byId('snippet', HTMLElement).hidden = format === 'json';
    if (format === 'json' || body === undefined) return;
    const of = format === 'curl' ? curlOf : typeScriptOf;
    setText(
      byId('snippet-text', HTMLElement),
      of(location.origin + api.base, shown === 'classic' ? 'classic' : 'new', body),
    );
  }

  /** @param {string} next */
  function showFormat(next) {
    format = next;
    press('data-format', format);
    showCode();
  }

  for (const button of document.querySelectorAll('[data-format]'))
    button.addEventListener('click', () => showFormat(button.getAttribute('data-format') ?? 'json'));
  for (const button of document.querySelectorAll('[data-shown]'))
    button.addEventListener('click', () => {
      shown = button.getAttribute('data-shown') ?? 'both';
      press('data-shown', shown);
      byId('designs', HTMLElement).dataset.shown = shown;
      preview.choose(shown === 'both' ? ['classic', 'new'] : [/** @type {Design} */ (shown)]);
      requestPreview();
      showCode();
    });
  byId('copy', HTMLButtonElement).addEventListener('click', () =>
    copy(format === 'json' ? textOf() : (byId('snippet-text', HTMLElement).textContent ?? '')),
  );
  openPrinting(api, { bodyOf: () => body, warn }, running => {
    isPrinting = running;
    showButtons();
  });

  return {
    showFormat,
    /** @param {unknown} next undefined: the text has a syntax error @param {number} at */
    update(next, at) {
      [body, index] = [next, at];
      requestPreview();
      showCode();
    },
  };
}

/** @param {Design | 'cover'} design */
function pagesOf(design) {
  const found = document.querySelector(`[data-design=${design}] .pages`);
  if (found instanceof HTMLElement) return found;
  throw new Error(`the page has no place for the design ${design}`);
}

const isVisible = () => byId('designs', HTMLElement).offsetParent !== null;

/** @param {string} attribute @param {string} value */
function press(attribute, value) {
  for (const button of document.querySelectorAll(`button[${attribute}]`))
    button.setAttribute('aria-pressed', String(button.getAttribute(attribute) === value));
}

/** @param {string} text */
async function copy(text) {
  const button = byId('copy', HTMLButtonElement);
  try {
    await navigator.clipboard.writeText(text);
    setText(button, 'Copied');
  } catch {
    // Without HTTPS there is no clipboard, and the reader may refuse it.
    setText(button, 'Select it to copy');
  }
  setTimeout(() => setText(button, 'Copy'), 2_000);
}

/**
 * @param {import('./api.js').Api} api
 * @param {{ bodyOf: () => unknown, warn: (warnings: readonly { pointer: string, detail: string }[]) => void }} page
 * @param {(isRunning: boolean) => void} onChange
 */
function openPrinting(api, { bodyOf, warn }, onChange) {
  const printed = byId('printed', HTMLElement);
  const progress = byId('progress', HTMLProgressElement);
  const cancel = byId('cancel', HTMLButtonElement);
  let jobId = '';

  /** @param {Design} design */
  async function printDesign(design) {
    setText(printed, 'Printing…');
    try {
      const job = await print(api, design, bodyOf(), ({ id, percent }) => {
        jobId = id;
        progress.hidden = false;
        cancel.hidden = false;
        progress.value = percent;
      });
      if (job.state !== 'succeeded') {
        setText(printed, job.state === 'cancelled' ? 'Cancelled.' : `No PDF: ${job.problem}`);
        return;
      }
      const name = await save(api, job);
      const { pages, bytes } = job.result;
      const warnings = job.warnings.length > 0 ? `, ${counted(job.warnings.length, 'warning')}` : '';
      setText(printed, `${name}: ${counted(Number(pages), 'page')}, ${Math.ceil(Number(bytes) / 1_024)} KB${warnings}`);
      warn(job.warnings);
    } catch (error) {
      setText(printed, `No PDF: ${error instanceof Error ? error.message : error}`);
    }
  }

  for (const button of document.querySelectorAll('[data-print]'))
    button.addEventListener('click', async () => {
      onChange(true);
      await printDesign(button.getAttribute('data-print') === 'classic' ? 'classic' : 'new');
      progress.hidden = true;
      cancel.hidden = true;
      onChange(false);
    });
  cancel.addEventListener('click', () => api.call(`/jobs/${jobId}`, { method: 'DELETE' }));
}
