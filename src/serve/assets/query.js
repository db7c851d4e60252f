// The query page: inserts names from the dictionary and runs the statement with Ctrl+Enter.
{
  const sql = document.getElementById('sql');
  const insert = (text) => {
    const { selectionStart: from, selectionEnd: to, value } = sql;
    const gap = from > 0 && !/[\s(.,]$/.test(value.slice(0, from)) ? ' ' : '';
    sql.setRangeText(gap + text, from, to, 'end');
    sql.focus();
  };
  document.querySelector('.dictionary').addEventListener('click', ({ target }) => {
    if (target.matches('button[data-name]')) insert(target.dataset.name);
  });
  const find = document.getElementById('find');
  find.hidden = false;
  find.addEventListener('input', () => {
    const words = find.value.toLowerCase().trim().split(/\s+/);
    let found = 0;
    for (const group of document.querySelectorAll('.dictionary .group')) {
      const shown = [...group.querySelectorAll('details')].filter((one) => {
        const text = one.textContent.toLowerCase();
        one.hidden = !words.every((word) => text.includes(word));
        return !one.hidden;
      });
      group.hidden = shown.length === 0;
      found += shown.length;
    }
    document.getElementById('found-none').hidden = found > 0;
  });
  sql.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    sql.form.requestSubmit(document.getElementById('run'));
  });
}
