/** Photos as small pictures, whose order a pointer or the arrow keys change. */
import { element } from './dom.js';

/** The policy of the page allows these only. @param {string} url */
const isShown = url => url.startsWith('https:') || url.startsWith(`${document.body.dataset.photos || 'https:'}/`);

/**
 * @param {string} label of one picture
 * @param {(urls: string[]) => void} report another order
 */
export function createThumbnails(label, report) {
  const list = element('ol', { class: 'thumbnails' });
  /** @type {readonly string[]} */
  let urls = [];
  let dragged = 0;

  /** @param {number} from @param {number} to */
  function move(from, to) {
    if (from === to || to < 0 || to >= urls.length) return;
    report(urls.toSpliced(from, 1).toSpliced(to, 0, urls[from] ?? ''));
    list.querySelectorAll('button')[to]?.focus();
  }

  /** @param {string} url @param {number} at */
  function thumbnail(url, at) {
    const name = url.split(/[?#]/)[0]?.split('/').at(-1);
    const text = `${label} ${at + 1} of ${urls.length}: ${name}. The arrow keys move it.`;
    const button = element(
      'button',
      { type: 'button', class: 'plain', draggable: 'true', 'aria-label': text },
      String(at + 1),
    );
    const picture = element('img', { alt: '', loading: 'lazy', referrerpolicy: 'no-referrer', draggable: 'false' });
    picture.addEventListener('error', () => picture.remove());
    if (isShown(url)) {
      picture.src = url;
      button.append(picture);
    }
    button.addEventListener('keydown', event => {
      const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      move(at, at + step);
    });
    button.addEventListener('dragstart', () => {
      dragged = at;
    });
    button.addEventListener('dragover', event => event.preventDefault());
    button.addEventListener('drop', () => move(dragged, at));
    return element('li', {}, button);
  }

  return {
    list,
    /** @param {readonly string[]} next */
    show(next) {
      if (next.join('\n') === urls.join('\n')) return;
      urls = next;
      list.replaceChildren(...urls.map(thumbnail));
    },
  };
}
