// Runs on every page: follows the lake while the page is open and visible, `/` focuses the search, arrows
// travel in time, commands can be copied. The page is complete without it.
{
  const root = document.documentElement;
  const state = document.getElementById('live');
  const QUIET_MS = 25000,
    BETWEEN_MS = 5000,
    SECOND = 1000;
  let shown = root.dataset.version,
    wanted = shown,
    source,
    retry,
    isBusy = false,
    problem = '';
  let heardAt = 0,
    updatedAt = Date.now();

  const span = (ms) => {
    const s = Math.max(0, Math.round(ms / SECOND));
    return s < 90 ? `${s} s` : s < 5400 ? `${Math.round(s / 60)} min` : `${Math.round(s / 3600)} h`;
  };
  const say = () => {
    if (shown === undefined || state === null) return;
    const isLive = Date.now() - heardAt < QUIET_MS && problem === '';
    state.className = isLive ? 'on' : 'off';
    const isOld = root.dataset.refresh === 'tell' && wanted !== shown;
    state.textContent =
      problem ||
      (isLive
        ? isOld
          ? 'newer data: run it again'
          : 'live'
        : `stale, updated ${span(Date.now() - updatedAt)} ago`);
    state.title = `updated ${span(Date.now() - updatedAt)} ago`;
  };

  const isInUse = () => {
    const at = document.activeElement;
    return (
      at?.matches('main input, main textarea, main select, #chart, .time input') ||
      !getSelection().isCollapsed
    );
  };
  const kept = (from) => ({
    open: [...from.querySelectorAll('details')].map((one) => one.open),
    left: [...from.querySelectorAll('.scroll, .dictionary')].map((one) => [
      one.scrollLeft,
      one.scrollTop,
    ]),
    focus: document.activeElement?.closest('main a[href]')?.getAttribute('href'),
  });
  const putBack = ({ open, left, focus }, into) => {
    into.querySelectorAll('details').forEach((one, i) => {
      one.open = open[i] ?? false;
    });
    into.querySelectorAll('.scroll, .dictionary').forEach((one, i) => {
      [one.scrollLeft, one.scrollTop] = left[i] ?? [0, 0];
    });
    if (focus)
      [...into.querySelectorAll('a[href]')]
        .find((a) => a.getAttribute('href') === focus)
        ?.focus({ preventScroll: true });
  };
  let runs = 0;
  const runAgain = () => {
    for (const { src } of document.querySelectorAll('head script[src*="chart"]')) {
      const again = document.createElement('script');
      again.type = 'module';
      again.src = `${new URL(src).pathname}?${++runs}`;
      again.onload = () => again.remove();
      document.head.append(again);
    }
  };
  const exchange = (page) => {
    for (const part of ['main', '.time', '.fresh-line .when']) {
      const [old, young] = [document.querySelector(part), page.querySelector(part)];
      if (old === null || young === null) continue;
      const was = kept(old);
      old.replaceChildren(...document.importNode(young, true).childNodes);
      putBack(was, old);
    }
    document.title = page.title;
    shown = page.documentElement.dataset.version;
    updatedAt = Date.now();
    copyable();
    runAgain();
  };
  const refresh = async () => {
    if (isBusy || document.hidden || wanted === shown || root.dataset.refresh === 'tell') return;
    if (isInUse() || Date.now() - updatedAt < BETWEEN_MS) {
      setTimeout(refresh, BETWEEN_MS);
      return;
    }
    isBusy = true;
    try {
      const got = await fetch(location.href, {
        headers: { accept: 'text/html' },
        cache: 'no-store',
      });
      problem = got.status === 401 ? 'signed out: reload' : '';
      if (!got.ok) throw new Error(String(got.status));
      const page = new DOMParser().parseFromString(await got.text(), 'text/html');
      if (page.documentElement.dataset.version !== undefined) exchange(page);
      if (wanted !== shown) wanted = shown;
    } catch {
      setTimeout(refresh, 2 * BETWEEN_MS);
    } finally {
      isBusy = false;
      say();
    }
  };
  const listen = () => {
    clearTimeout(retry);
    if (shown === undefined || state === null || document.hidden || source !== undefined) return;
    source = new EventSource('/live');
    source.addEventListener('beat', () => {
      heardAt = Date.now();
      say();
    });
    source.addEventListener('version', ({ data }) => {
      heardAt = Date.now();
      wanted = data;
      say();
      refresh();
    });
    source.onerror = () => {
      heardAt = Math.min(heardAt, Date.now() - QUIET_MS + 4 * SECOND); // stale soon, unless it comes back
      if (source.readyState !== EventSource.CLOSED) return;
      source = undefined;
      retry = setTimeout(listen, 6 * BETWEEN_MS);
    };
  };
  const hush = () => {
    source?.close();
    source = undefined;
    clearTimeout(retry);
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) hush();
    else {
      listen();
      say();
    }
  });
  addEventListener('pagehide', hush);
  addEventListener('pageshow', listen);
  setInterval(() => {
    if (!document.hidden) say();
  }, SECOND);
  listen();

  const copyable = () => {
    for (const code of document.querySelectorAll('.commands code')) {
      if (code.nextElementSibling?.matches('button') ?? false) continue;
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = 'copy';
      button.setAttribute('aria-label', `copy ${code.textContent}`);
      button.addEventListener('click', async () => {
        try {
          await navigator.clipboard.writeText(code.textContent);
          button.textContent = 'copied';
        } catch {
          getSelection().selectAllChildren(code);
          button.textContent = 'selected';
        }
        setTimeout(() => {
          button.textContent = 'copy';
        }, 2 * SECOND);
      });
      code.after(button);
    }
  };
  copyable();

  root.classList.add('scripts');
  addEventListener('input', ({ target }) => {
    if (!target.matches?.('[data-life]')) return;
    const at = new Date(Number(target.value)).toISOString();
    target.form.elements.asOf.value = at.slice(0, 16).replace('T', ' ');
  });
  addEventListener('change', ({ target }) => {
    if (target.matches?.('[data-life]')) target.form.requestSubmit();
  });
  addEventListener('click', ({ target }) => {
    for (const open of document.querySelectorAll('header details[open]'))
      if (!open.contains(target)) open.open = false;
  });

  const isTyping = (at) => at.closest('input, textarea, select, [contenteditable]') !== null;
  addEventListener('keydown', (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.defaultPrevented ||
      isTyping(event.target)
    )
      return;
    if (event.key === 'Escape')
      for (const open of document.querySelectorAll('header details[open]')) open.open = false;
    if (event.key === '/') {
      event.preventDefault();
      const search = document.querySelector('input[type=search]');
      if (search === null) location.href = '/search';
      else {
        search.focus();
        search.select();
      }
      return;
    }
    if (!event.key.startsWith('Arrow') || event.target.closest('.scroll, figure') !== null) return;
    document
      .querySelector(`.time [data-key="${event.shiftKey ? 'Shift+' : ''}${event.key}"]`)
      ?.click();
  });
}
