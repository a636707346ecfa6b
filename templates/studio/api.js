/** Calls of the public API with an access token, which only the memory of this page has. */
import { isObject } from './dom.js';

/** @typedef {{ name: string, obtain: () => Promise<string> }} Login obtain: requests a token, also after it has expired */
/** @typedef {{ pointer: string, detail: string }} Fault */

/** An answer other than 2xx. */
export class ApiProblem extends Error {
  /**
   * @param {number} status
   * @param {unknown} document RFC 9457
   * @param {string | null} retryAfter
   */
  constructor(status, document, retryAfter = null) {
    const problem = isObject(document) ? document : {};
    const text = problem.detail ?? problem.error_description ?? problem.title;
    super(typeof text === 'string' ? text : `The service answered with status ${status}.`);
    this.status = status;
    this.retryAfterSeconds = Number(retryAfter) || undefined;
    const errors = Array.isArray(problem.errors) ? problem.errors : [];
    /** @type {Fault[]} */
    this.faults = errors
      .filter(isObject)
      .map(({ pointer, detail }) => ({ pointer: String(pointer), detail: String(detail) }));
  }
}

/** @param {Response} answer */
async function problemOf(answer) {
  const isJson = answer.headers.get('content-type')?.includes('json');
  return new ApiProblem(answer.status, isJson ? await answer.json() : undefined, answer.headers.get('retry-after'));
}

/**
 * @param {string} base of the API
 * @param {(brands?: unknown) => void} onChange of the login; brands: the answer of `GET /brands`, undefined after the end
 */
export function openApi(base, onChange) {
  /** @type {Login | undefined} */
  let login;
  let accessToken = '';

  /** @param {string} path @param {RequestInit} init */
  const send = (path, init) =>
    fetch(base + path, {
      ...init,
      credentials: 'omit',
      headers: { ...init.headers, authorization: `Bearer ${accessToken}` },
    });

  /** @param {unknown} answer */
  function tokenIn(answer) {
    if (isObject(answer) && typeof answer.access_token === 'string') return answer.access_token;
    throw new Error('The answer has no access token.');
  }

  const api = {
    base,
    /** Undefined: not logged in. */
    get user() {
      return login?.name;
    },
    /** @param {Login} given @throws ApiProblem when the token is not valid, too */
    async logIn(given) {
      accessToken = await given.obtain();
      login = given;
      try {
        onChange(await (await api.call('/brands')).json());
      } catch (error) {
        api.logOut();
        throw error;
      }
    },
    logOut() {
      accessToken = '';
      login = undefined;
      onChange();
    },
    /**
     * @param {string} path below the base
     * @param {{ method?: string, body?: unknown, headers?: Record<string, string>, signal?: AbortSignal }} [options]
     * @throws ApiProblem
     */
    async call(path, { method = 'GET', body, headers = {}, signal } = {}) {
      const content = body === undefined ? {} : { body: JSON.stringify(body) };
      const types = body === undefined ? headers : { 'content-type': 'application/json', ...headers };
      const init = { method, headers: types, signal: signal ?? null, ...content };
      let answer = await send(path, init);
      if (answer.status === 401 && login) {
        accessToken = await login.obtain().catch(error => {
          api.logOut();
          throw error;
        });
        answer = await send(path, init);
        if (answer.status === 401) api.logOut();
      }
      if (!answer.ok) throw await problemOf(answer);
      return answer;
    },
    /** The login of the operations pages: the browser asks for it when it does not have it yet. @returns {Login} */
    operator: () => ({
      name: 'operator',
      async obtain() {
        const answer = await fetch(`${base}/ops/studio-token`, { method: 'POST' });
        if (answer.ok) return tokenIn(await answer.json());
        // With a Basic login, the browser has asked for it.
        if (answer.status === 401 && answer.headers.get('www-authenticate')?.startsWith('Bearer'))
          location.assign(`${base}/ops/sign-in?to=${encodeURIComponent(`${location.pathname}#operator`)}`);
        const text =
          answer.status === 401
            ? 'The operator login was not accepted.'
            : 'This operator login gets no token for the studio: use a client with the scope pdf.';
        throw new ApiProblem(answer.status, { detail: text });
      },
    }),
    /** @param {string} clientId @param {string} clientSecret @returns {Login} */
    client: (clientId, clientSecret) => ({
      name: clientId,
      async obtain() {
        const form = {
          grant_type: 'client_credentials',
          scope: 'pdf',
          client_id: clientId,
          client_secret: clientSecret,
        };
        const answer = await fetch(`${base}/oauth/token`, {
          method: 'POST',
          body: new URLSearchParams(form),
          credentials: 'omit',
        });
        if (!answer.ok) throw await problemOf(answer);
        return tokenIn(await answer.json());
      },
    }),
    /** @param {string} token @returns {Login} */
    token(token) {
      let isUsed = false;
      return {
        name: 'an access token',
        async obtain() {
          if (isUsed) throw new ApiProblem(401, { detail: 'The access token is unknown, expired or revoked.' });
          isUsed = true;
          return token;
        },
      };
    },
  };
  return api;
}

/** @typedef {ReturnType<typeof openApi>} Api */
