/** The login card: operator, client, or access token. */
import { byId, setText } from './dom.js';
import { saveDraft } from './draft.js';

/** @param {import('./api.js').Api} api @param {string | undefined} last kind of login before the reload */
export function openLogin(api, last) {
  const form = byId('log-in', HTMLFormElement);
  const input = (/** @type {string} */ id) => byId(id, HTMLInputElement);
  const error = byId('log-in-error', HTMLElement);

  /** @param {import('./api.js').Login} login @param {string} kind */
  async function logIn(login, kind) {
    setText(error, '');
    form.ariaBusy = 'true';
    await api.logIn(login).then(
      () => saveDraft({ login: kind }),
      problem => setText(error, problem.message),
    );
    form.ariaBusy = null;
  }

  byId('operator', HTMLButtonElement).addEventListener('click', () => logIn(api.operator(), 'operator'));
  form.addEventListener('submit', event => {
    event.preventDefault();
    const [id, secret, token] = ['client-id', 'client-secret', 'access-token'].map(name => input(name).value.trim());
    if (!token && !(id && secret)) setText(error, 'Enter client id and secret, or an access token.');
    else void logIn(token ? api.token(token) : api.client(id ?? '', secret ?? ''), 'client');
  });
  byId('log-out', HTMLButtonElement).addEventListener('click', () => {
    saveDraft({ login: 'none' });
    api.logOut();
    input('client-id').focus();
  });

  return {
    show() {
      form.hidden = api.user !== undefined;
      if (form.hidden) form.reset();
      byId('log-out', HTMLButtonElement).hidden = !form.hidden;
      setText(byId('user', HTMLElement), api.user === undefined ? '' : `Logged in as ${api.user}.`);
    },
    /** The operations pages link with #operator: the browser has the login already. */
    async start() {
      if (location.hash !== '#operator' && last !== 'operator') return;
      history.replaceState(null, '', location.pathname);
      await logIn(api.operator(), 'operator');
    },
  };
}
