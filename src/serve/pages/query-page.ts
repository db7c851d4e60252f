import { html, raw } from 'hono/html';
import { isoOf } from '../../base/iso.ts';
import type { CookbookQuery, Described, DictionaryPart } from '../../lake/query/dictionary.ts';
import { CLOSED_TABLES } from '../../lake/query/refuse-closed.ts';
import { FILE_ROWS, type SqlCell, type SqlTable } from '../request/sql-queries.ts';
import { digits } from './figures.ts';
import type { FramedPage } from './frame.ts';
import { type Html, NOTHING } from './html.ts';
import { notice } from './marks.ts';
import { queryChart } from './query-chart.ts';

export type QueryOutcome =
  | { readonly found: SqlTable }
  | { readonly failed: string }
  /** Linked from another site, so it waits until the reader runs it. */
  | { readonly held: true }
  | undefined;

export interface ShownQuery {
  readonly sql: string;
  /** Unix ms; undefined: now. */
  readonly asOf: number | undefined;
  readonly outcome: QueryOutcome;
  readonly dictionary: readonly DictionaryPart[];
  readonly recipes: readonly CookbookQuery[];
}

const EXAMPLE = `select platform, rank, user, title, views
from feed_now
where rank <= 5
order by platform, rank`;

const cellText = (value: SqlCell): Html =>
  value === null ? raw('<td><i>null</i>') : html`<td>${value}`;

/** Rows as a table. Columns of numbers only are aligned to the right. */
const rowsTable = ({ columns, rows }: SqlTable): Html => {
  const isNumber = columns.map((_, at) =>
    rows.every((row) => row[at] === null || typeof row[at] === 'number'),
  );
  const style = isNumber
    .flatMap((is, at) => (is && rows.length > 0 ? [`.result :is(td,th):nth-child(${at + 1})`] : []))
    .join(',');
  return html`${style === '' ? NOTHING : html`<style>${raw(style)}{text-align:right;font-variant-numeric:tabular-nums}</style>`}<div class="scroll" tabindex="0" role="region" aria-label="Result"><table class="data result"><caption class="unseen">Result</caption><thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr>${row.map(cellText)}`)}</tbody></table></div>`;
};

const countText = ({ rows, counted, hasMore, tookMs }: SqlTable): string => {
  const all = hasMore
    ? `more than ${digits(counted)} rows`
    : `${digits(counted)} ${counted === 1 ? 'row' : 'rows'}`;
  const shown = rows.length < counted ? `the first ${digits(rows.length)} of ${all}` : all;
  return `${shown}, ${Math.round(tookMs)} ms`;
};

const outcomeSection = (outcome: QueryOutcome): Html => {
  if (outcome === undefined) return NOTHING;
  if ('held' in outcome)
    return notice(
      'Another site linked to this statement, so it has not run yet. Read it, then press Run.',
    );
  if ('failed' in outcome)
    return html`<section role="alert"><h2>Not run</h2><p class="failed">${outcome.failed}</p></section>`;
  const { found } = outcome;
  return html`<section id="result"><div class="over"><h2>Result <span class="soft small">${countText(found)}</span></h2><button class="small" form="query" formaction="/query.csv" title="All rows, at most ${digits(FILE_ROWS)}. Text that a spreadsheet would run as a formula starts with an apostrophe.">CSV</button></div>
${queryChart(found)}${found.rows.length === 0 ? html`<p class="soft">No rows.</p>` : rowsTable(found)}</section>`;
};

const relation = ({ name, about, columns }: Described): Html =>
  html`<details><summary><code>${name}</code></summary><p class="small soft">${about}</p><ul><li><button type="button" data-name="${name}">${name}</button> <i>table</i>${columns.map(
    (column) =>
      html`<li><button type="button" data-name="${column.name}">${column.name}</button> <i>${column.type}</i> ${column.meaning}`,
  )}</ul></details>`;

const dictionaryAside = (parts: readonly DictionaryPart[]): Html =>
  html`<section class="dictionary"><h2>Dictionary</h2><p class="small soft">Times are Unix milliseconds in tables and ISO text in views. Click a name to insert it at the cursor.</p>${parts
    .slice(0, 2)
    .map(
      ({ title, relations }) =>
        html`<h3>${title}</h3>${relations.filter(({ name }) => !CLOSED_TABLES.includes(name)).map(relation)}`,
    )}</section>`;

const cookbook = (recipes: readonly CookbookQuery[]): Html =>
  html`<details class="recipes"><summary>Cookbook: ${recipes.length} questions with their SQL</summary><ol class="small">${recipes.map(
    ({ question, sql }) =>
      html`<li><a href="/query?${new URLSearchParams({ sql })}">${question}</a>`,
  )}</ol></details>`;

/** `/query`: an SQL statement, its result and the dictionary. */
export const queryPage = ({ sql, asOf, outcome, dictionary, recipes }: ShownQuery): FramedPage => ({
  title: 'Query',
  isTimed: false,
  whenChanged: 'tell',
  assets: ['plot.css', 'query.css', 'query.js'],
  about: html`Read-only SQL over the whole lake`,
  main: html`<div class="grid"><div class="stack">
<section><form id="query" method="post" action="/query"><label class="unseen" for="sql">SQL</label><textarea id="sql" name="sql" rows="8" spellcheck="false" autocapitalize="off" autocomplete="off" required maxlength="20000">${sql === '' ? EXAMPLE : sql}</textarea>
<div class="run"><button id="run">Run</button><label class="small">as of <input name="asOf" size="24" placeholder="now" value="${asOf === undefined ? '' : isoOf(asOf)}" title="ISO 8601 instant: the lake as it was known then"></label><span class="soft small">Ctrl+Enter. One SELECT, at most 10 s, read-only.</span></div></form>
${cookbook(recipes)}</section>
${outcomeSection(outcome)}</div>
<div class="stack">${dictionaryAside(dictionary)}</div></div>`,
});
