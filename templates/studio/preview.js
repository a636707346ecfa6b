/** The preview of one listing in both designs, the first pages together, then the others; or of the mail. One round runs at a time. */
import { ApiProblem } from './api.js';
import { element, isObject } from './dom.js';
import { jobOf } from './print.js';

/**
 * @typedef {'classic' | 'new'} Design
 * @typedef {{ list: [unknown], language?: unknown, brand?: unknown, withCover?: { list: unknown[], cover: unknown } | undefined, mail?: unknown }} PreviewRequest
 * @typedef {{ design: Design | 'cover', page: number }} View
 */

const names = { classic: 'Classic design, page 1', new: 'New design, page 1', cover: 'Cover' };
const inchesWide = 8.27;
const path = '/apps/portal/v1/pdf/preview';
const prefer = 'wait=30, cancel-on-disconnect';
const busy = 'the service is busy; the next change tries again.';
/** Each waits for half a minute. */
const maxTries = 4;

/**
 * @param {import('./api.js').Api} api
 * @param {Record<View['design'], HTMLElement>} places
 * @param {{ onShown: (ms: number) => void, onFailed: (error: unknown) => void, onEnlarge: (view: View, alt: string) => void }} events
 */
export function openPreview(api, places, { onShown, onFailed, onEnlarge }) {
  /** @type {PreviewRequest | undefined} */
  let wanted;
  /** The request of the current input; undefined: not valid, or not requested yet. @type {PreviewRequest | undefined} */
  let current;
  let isRunning = false;
  const frames = [...document.querySelectorAll('iframe')];
  /** @type {readonly Design[]} */
  let designs = ['classic', 'new'];

  /** @param {View} view @param {number} dpi @param {PreviewRequest} request */
  async function render({ design, page }, dpi, { withCover, ...request }) {
    const chosen = design === 'cover' ? { ...withCover, design: 'new' } : { design };
    const body = { ...request, ...chosen, page, dpi };
    const headers = { accept: 'image/jpeg', prefer };
    for (let tries = 0; tries < maxTries; tries++) {
      const answer = await api.call(path, { method: 'POST', body, headers });
      if (answer.status === 200) return URL.createObjectURL(await answer.blob());
      // A newer request replaces this one.
      if (wanted) break;
    }
    throw new Error(busy);
  }

  /** @param {View} view @param {PreviewRequest} request */
  async function showPage(view, request) {
    const { design, page } = view;
    const place = places[design];
    const width = place.clientWidth * Math.min(window.devicePixelRatio, 2);
    const url = await render(view, Math.min(192, Math.max(48, 24 * Math.ceil(width / inchesWide / 24))), request);
    const image = new Image();
    image.src = url;
    image.alt = names[design].replace('1', String(page));
    await image.decode();
    const shown = place.children[page - 1];
    if (!shown && request !== current) return URL.revokeObjectURL(url);
    const label = design === 'cover' ? 'Enlarge the cover' : `Enlarge page ${page} of the ${design} design`;
    const button =
      shown instanceof HTMLButtonElement
        ? shown
        : place.appendChild(element('button', { type: 'button', class: 'page', 'aria-label': label }));
    const old = button.querySelector('img');
    if (!shown) button.addEventListener('click', () => onEnlarge(view, image.alt));
    button.disabled = request !== current;
    button.replaceChildren(image);
    if (old) URL.revokeObjectURL(old.src);
  }

  /** A frame with a link has the mail's own policy; text in it would have that of the studio. @param {PreviewRequest} request */
  async function showMail(request) {
    const headers = { accept: 'application/json', prefer };
    const answer = await api.call(path, { method: 'POST', body: request.mail, headers });
    const { id, state, problem } = jobOf(await answer.json());
    if (state !== 'succeeded') throw new Error(problem || busy);
    const link = await (await api.call(`/jobs/${id}/result-link`, { method: 'POST', body: {} })).json();
    if (request !== current) return;
    for (const frame of frames) {
      frame.src = `${api.base}/results/${id}${new URL(link.url).search}`;
      frame.inert = false;
    }
  }

  /** @param {PreviewRequest} request */
  async function round(request) {
    const startedAt = performance.now();
    if (request.mail) {
      await showMail(request);
      if (request === current) onShown(performance.now() - startedAt);
      return;
    }
    /** @type {View['design'][]} */
    const shown = request.withCover ? [...designs, 'cover'] : [...designs];
    if (!request.withCover) places.cover.replaceChildren();
    await Promise.all(shown.map(design => showPage({ design, page: 1 }, request)));
    if (request === current) onShown(performance.now() - startedAt);
    const [listing] = request.list;
    const plans = isObject(listing) && Array.isArray(listing.floor_plans) ? listing.floor_plans.length : 0;
    const counts = { classic: 1 + Math.ceil(plans / 2), new: 2 + Math.ceil(plans / 2) };
    for (const design of designs) {
      for (let page = 2; page <= counts[design] && request === current; page++)
        // Without a plan that can be loaded there is no page for them.
        await showPage({ design, page }, request).catch(error => {
          if (!(error instanceof ApiProblem && error.status === 422)) throw error;
          counts[design] = page - 1;
        });
      while (request === current && places[design].children.length > counts[design])
        places[design].lastElementChild?.remove();
    }
  }

  async function run() {
    if (isRunning) return;
    isRunning = true;
    while (wanted) {
      const request = wanted;
      wanted = undefined;
      await round(request).catch(error => {
        if (request === current) onFailed(error);
      });
    }
    isRunning = false;
  }

  const pages = () => Object.values(places).flatMap(place => [...place.querySelectorAll('button')]);

  return {
    isEmpty: () => pages().length === 0,
    /** The pages no longer belong to the input: they are pale, and are not enlarged. */
    outdate() {
      wanted = undefined;
      current = undefined;
      for (const page of pages()) page.disabled = true;
      for (const frame of frames) frame.inert = true;
    },
    clear() {
      for (const page of pages()) page.remove();
      for (const frame of frames) frame.removeAttribute('src');
    },
    /** Replaces a request that waits for the end of the running round. @param {PreviewRequest} request */
    request(request) {
      wanted = request;
      current = request;
      void run();
    },
    /** @param {readonly Design[]} shown */
    choose(shown) {
      designs = shown;
    },
    render,
  };
}
