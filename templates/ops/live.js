/**
 * Updates an operator page in place: fetches it again and changes only what differs, so that scroll position, focus and
 * open details stay. The page's content security policy allows this script by its hash.
 */
{
  const main = document.querySelector('main');
  const live = document.getElementById('live');
  const lost = document.getElementById('lost');
  const pause = document.getElementById('pause');
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Dubai', timeStyle: 'medium' });
  let updatedAt = clock.format(new Date());
  let isPaused = false;
  let isUpdating = false;
  let timer;

  /** Siblings with a key are the same element in both versions of the page, wherever they are. */
  const keyOf = node => node.id || node.dataset?.key || node.getAttribute?.('aria-labelledby') || '';

  function matchOf(wanted, first) {
    for (let node = first; node; node = node.nextSibling)
      if (node.nodeName === wanted.nodeName && keyOf(node) === keyOf(wanted)) return node;
  }

  function change(old, wanted) {
    if (old.isEqualNode(wanted)) return;
    if (old.nodeType !== Node.ELEMENT_NODE) {
      old.nodeValue = wanted.nodeValue;
      return;
    }
    for (const { name } of [...old.attributes]) {
      // The reader opens and closes details.
      if (name !== 'open' && !wanted.hasAttribute(name)) old.removeAttribute(name);
    }
    for (const { name, value } of wanted.attributes)
      if (name !== 'open' && old.getAttribute(name) !== value) old.setAttribute(name, value);
    let place = old.firstChild;
    for (const child of [...wanted.childNodes]) {
      const match = matchOf(child, place);
      if (!match) {
        old.insertBefore(child, place);
        continue;
      }
      if (match === place) place = place.nextSibling;
      else old.insertBefore(match, place);
      change(match, child);
    }
    while (place) {
      const rest = place.nextSibling;
      place.remove();
      place = rest;
    }
  }

  async function fetchPage() {
    const answer = await fetch(location.href, { redirect: 'error', signal: AbortSignal.timeout(15_000) });
    if (!answer.ok) throw new Error(`the service answered with status ${answer.status}`);
    return new DOMParser().parseFromString(await answer.text(), 'text/html');
  }

  function show(page) {
    const focused = document.activeElement;
    document.title = page.title;
    change(main, page.querySelector('main'));
    // An element that moved has lost the focus.
    if (focused?.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
    updatedAt = clock.format(new Date());
    lost.hidden = true;
  }

  function showLost(error) {
    const reason = error.message.startsWith('the service') ? error.message : 'the service cannot be reached';
    const text = `Connection lost: ${reason}. This page shows the state of ${updatedAt}. It tries again by itself.`;
    // A screen reader reads each change.
    if (lost.textContent !== text) lost.textContent = text;
    lost.hidden = false;
  }

  async function update() {
    clearTimeout(timer);
    if (isUpdating || isPaused || document.hidden || !main.dataset.updates) return;
    isUpdating = true;
    await fetchPage().then(show).catch(showLost);
    isUpdating = false;
    wait();
  }

  function wait() {
    clearTimeout(timer);
    const isEnded = !main.dataset.updates;
    live.textContent = isEnded ? `As of ${updatedAt}; nothing more changes by itself.` : `Updated ${updatedAt}.`;
    pause.hidden = isEnded;
    pause.textContent = isPaused ? 'Resume updates' : 'Pause';
    if (!isEnded && !isPaused && !document.hidden) timer = setTimeout(update, Number(main.dataset.updates) * 1_000);
  }

  pause.addEventListener('click', () => {
    isPaused = !isPaused;
    wait();
    void update();
  });
  document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : update()));
  wait();
}
