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
  sql.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    sql.form.requestSubmit(document.getElementById('run'));
  });
}
