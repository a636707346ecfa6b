/** Checks the request with `validateOnly` after each pause in editing, and shows what was found. */
import { ApiProblem } from './api.js';
import { byId, isObject, setText } from './dom.js';
import { findingGroups, findingItem, ofListing, summaryOf } from './findings.js';
import { readJson } from './json-text.js';
import { designPaths } from './print.js';
import { listOf, withValue } from './values.js';

/** @typedef {import('./findings.js').Finding} Finding */

const pauseMs = 350;
/** For this long an unchanged photo is not requested again. */
const photosFreshMs = 60_000;

/**
 * @param {import('./api.js').Api} api
 * @param {{ form: ReturnType<typeof import('./form.js').openForm>, editor: ReturnType<typeof import('./editor.js').openEditor>, open: (pointer: string) => void }} page
 */
export function openChecks(api, { form, editor, open }) {
  /** @type {readonly Finding[]} */
  let findings = [];
  /** @type {import('./json-text.js').Read} */
  let read = readJson('');
  let index = 0;
  let timer = 0;
  let running = new AbortController();
  let checked = '';
  let photos = { key: '', at: 0, findings: /** @type {readonly Finding[]} */ ([]) };

  function show() {
    const { fault } = read;
    setText(byId('syntax', HTMLElement), fault ? `Line ${fault.line}, column ${fault.column}: ${fault.message}` : '');
    editor.mark(read, fault ? [] : findings);
    if (fault) {
      setText(byId('checks-summary', HTMLElement), 'The JSON has a syntax error');
      byId('checks-list', HTMLElement).replaceChildren();
      return;
    }
    form.showFindings(ofListing(findings, index));
    for (const place of document.querySelectorAll('[data-option]')) {
      const own = findings.filter(({ pointer }) => pointer.split('/')[1] === place.getAttribute('data-option'));
      place.replaceChildren(...own.map(finding => findingItem(finding, '')));
    }
    const isOne = listOf(read.value).length < 2;
    const none = checked === '' ? 'Checked when you are logged in' : 'Nothing to correct';
    setText(byId('checks-summary', HTMLElement), summaryOf(findings) || none);
    byId('checks-list', HTMLElement).replaceChildren(...findingGroups(findings, open, isOne));
  }

  /** @param {unknown} body */
  async function check(body) {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const of = read.text;
    try {
      const found = await findingsOf(body, signal);
      if (signal.aborted) return;
      findings = found;
      checked = of;
      show();
    } catch (error) {
      if (!signal.aborted)
        setText(byId('checks-summary', HTMLElement), `Not checked: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** @param {unknown} body @param {AbortSignal} signal @returns {Promise<Finding[]>} */
  async function findingsOf(body, signal) {
    const key = photoKey(body);
    const areFresh = key === photos.key && Date.now() - photos.at < photosFreshMs;
    const request = {
      ...(areFresh ? withoutPhotos(body) : isObject(body) ? body : { list: body }),
      validateOnly: true,
    };
    const options = { method: 'POST', body: request, signal };
    const answer = await api.call(designPaths.new, options).catch(error => {
      if (error instanceof ApiProblem && error.faults.length > 0) return error;
      throw error;
    });
    if (answer instanceof ApiProblem)
      return answer.faults.map(({ pointer, detail }) => ({ severity: 'error', code: '', pointer, detail }));
    const { warnings: given = [] } = await answer.json();
    const warnings = given.map((/** @type {Partial<Finding>} */ finding) => ({
      severity: 'warning',
      code: '',
      ...finding,
    }));
    if (areFresh)
      return [...warnings.filter((/** @type {Finding} */ finding) => !isOfPhotos(finding)), ...photos.findings];
    photos = { key, at: Date.now(), findings: warnings.filter(isOfPhotos) };
    return warnings;
  }

  return {
    /** @param {import('./json-text.js').Read} next @param {unknown} body @param {number} at */
    update(next, body, at) {
      [read, index] = [next, at];
      show();
      clearTimeout(timer);
      if (read.fault || api.user === undefined || checked === read.text) return;
      timer = window.setTimeout(() => check(body), pauseMs);
    },
    /** Warnings of a printed job, which the check cannot know. @param {readonly { pointer: string, detail: string }[]} warnings */
    addPrinted(warnings) {
      const isNew = (/** @type {{ pointer: string, detail: string }} */ one) =>
        findings.every(({ pointer, detail }) => pointer !== one.pointer || detail !== one.detail);
      findings = [
        ...findings,
        ...warnings.filter(isNew).map(({ pointer, detail }) => ({
          severity: /** @type {const} */ ('warning'),
          code: 'printed',
          pointer,
          detail,
        })),
      ];
      show();
    },
  };
}

/** @param {Finding} finding */
const isOfPhotos = ({ code }) => /^photos?-/.test(code);

/** Photo servers are not asked again for photos that have not changed. @param {unknown} body */
const photoKey = body =>
  JSON.stringify(
    listOf(body).map(each =>
      isObject(each) ? [each.photo, each.floor_plans, isObject(each.agent) && each.agent.photo] : each,
    ),
  );

/** @param {unknown} body */
function withoutPhotos(body) {
  const list = listOf(body).map(each => {
    const { photo: _photo, floor_plans: _plans, ...listing } = isObject(each) ? each : {};
    return isObject(listing.agent) && 'photo' in listing.agent
      ? withValue(listing, 'agent', { ...listing.agent, photo: '' })
      : listing;
  });
  return { ...(isObject(body) ? body : {}), list };
}
