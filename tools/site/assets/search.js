// The search of the documentation: the sections of all pages, in this browser alone.
(() => {
  const root = document.currentScript?.dataset.root ?? '';
  const input = document.querySelector('.search input');
  const list = document.querySelector('.search ol');
  let index;

  const found = (words) => {
    index ??= (() => {
      const made = new MiniSearch({
        fields: ['title', 'page', 'text'],
        storeFields: ['title', 'page', 'href'],
        searchOptions: {
          boost: { title: 4, page: 2 },
          prefix: true,
          fuzzy: 0.15,
          combineWith: 'AND',
        },
      });
      made.addAll(SEARCH_DOCUMENTS);
      return made;
    })();
    return index.search(words).slice(0, 12);
  };

  const entry = ({ title, page, href }) => {
    const line = document.createElement('li');
    const link = document.createElement('a');
    const from = document.createElement('small');
    link.href = root + href;
    link.textContent = title;
    from.textContent = page;
    link.append(from);
    line.append(link);
    return line;
  };

  const show = () => {
    const words = input.value.trim();
    const entries = words === '' ? [] : found(words).map(entry);
    if (words !== '' && entries.length === 0) {
      const none = document.createElement('li');
      none.textContent = 'Nothing found.';
      entries.push(none);
    }
    list.replaceChildren(...entries);
    list.hidden = words === '';
  };

  input.addEventListener('input', show);
  document.addEventListener('keydown', (event) => {
    const inField = event.target instanceof HTMLInputElement;
    if (event.key === '/' && !inField) {
      event.preventDefault();
      input.focus();
    }
    if (event.key === 'Escape') {
      input.value = '';
      show();
    }
    if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click();
  });
  if (matchMedia('(max-width: 50rem)').matches) document.querySelector('nav details').open = false;
})();
