import { html, raw } from 'hono/html';
import type { CookbookQuery, Described, DictionaryPart } from '../../lake/query/dictionary.ts';
import { CLOSED_TABLES } from '../../lake/query/refuse-closed.ts';
import { FILE_ROWS, type SqlCell, type SqlTable } from '../request/sql-queries.ts';
import { digits } from './figures.ts';
import type { FramedPage } from './frame.ts';
import { type Html, NOTHING } from './html.ts';
import { notice } from './marks.ts';
import { CHART_STYLE } from './pipeline-style.ts';
import { queryChart } from './query-chart.ts';

export type QueryOutcome =
  | { readonly found: SqlTable }
  | { readonly failed: string }
  /** Linked from another site, so it waits until the reader runs it. */
  | { readonly held: true }
  | undefined;

export interface ShownQuery {
  readonly sql: string;
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

const QUERY_STYLE = `${CHART_STYLE}
#query { display: grid; gap: 10px; } #sql { width: 100%; min-height: 150px; font: 13.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Noto Sans Mono", monospace; padding: 12px 14px; border: 1px solid color-mix(in srgb, var(--soft) 75%, var(--card)); border-radius: 10px; background: var(--ground); color: var(--ink); resize: vertical; tab-size: 2; }
.run { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; } #run { background: var(--mark); border-color: var(--mark); color: var(--card); font-weight: 600; padding: 6px 20px; } .recipes { margin-top: 12px; } .recipes ol { margin: 8px 0 0; padding-left: 24px; columns: 2 280px; } summary { cursor: pointer; }
.failed { overflow-wrap: anywhere; } .result { width: auto; min-width: 100%; } .result td, .result th { max-width: 420px; overflow-wrap: anywhere; padding-right: 22px; } .result i { color: var(--soft); }
.dictionary { max-height: 78vh; overflow-y: auto; } .dictionary details { border-top: 1px solid var(--line); padding: 5px 0; } .dictionary ul { list-style: none; margin: 4px 0 8px; padding: 0 0 0 4px; font-size: 13px; } .dictionary li { padding: 2px 0; overflow-wrap: anywhere; } .dictionary i { color: var(--soft); font-style: normal; } .dictionary p { margin: 4px 0; }
.dictionary button { font: 12.5px ui-monospace, "SF Mono", Menlo, Consolas, "Noto Sans Mono", monospace; border: 0; padding: 1px 6px; border-radius: 6px; background: var(--wash); color: var(--mark); overflow-wrap: anywhere; text-align: left; }
.bars { width: 100%; margin-bottom: 14px; } .bars th { max-width: 220px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 13px; } .bars th, .bars td { border: 0; padding: 2px 12px 2px 0; } .bars td:nth-child(2) { width: 70%; } .bars .meter { height: 12px; border-radius: 3px; margin: 0; min-width: 1px; }
`;

/** `/query`: an SQL statement, its result and the dictionary. */
export const queryPage = ({ sql, outcome, dictionary, recipes }: ShownQuery): FramedPage => ({
  title: 'Query',
  isTimed: false,
  whenChanged: 'tell',
  style: QUERY_STYLE,
  assets: ['query.js'],
  about: html`Read-only SQL over the whole lake`,
  main: html`<div class="grid"><div class="stack">
<section><form id="query" method="post" action="/query"><label class="unseen" for="sql">SQL</label><textarea id="sql" name="sql" rows="8" spellcheck="false" autocapitalize="off" autocomplete="off" required maxlength="20000">${sql === '' ? EXAMPLE : sql}</textarea>
<div class="run"><button id="run">Run</button><span class="soft small">Ctrl+Enter. One SELECT, at most 10 s, read-only.</span></div></form>
${cookbook(recipes)}</section>
${outcomeSection(outcome)}</div>
<div class="stack">${dictionaryAside(dictionary)}</div></div>`,
});
