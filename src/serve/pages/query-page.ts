import { html, raw } from 'hono/html';
import { isoOf } from '../../base/iso.ts';
import type { CookbookQuery } from '../../lake/query/dictionary.ts';
import type { DictionaryGroup } from '../../lake/query/dictionary-groups.ts';
import type { SavedQuery } from '../../lake/query/saved-queries.ts';
import { FILE_ROWS, type SqlCell, type SqlTable } from '../request/sql-queries.ts';
import { digits } from './figures.ts';
import type { FramedPage } from './frame.ts';
import { type Html, NOTHING } from './html.ts';
import { notice, options } from './marks.ts';
import { type ChartChoice, queryChart } from './query-chart.ts';

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
  readonly choice: ChartChoice;
  readonly dictionary: readonly DictionaryGroup[];
  readonly recipes: readonly CookbookQuery[];
  readonly saved: readonly SavedQuery[];
  /** The saved query that is shown. */
  readonly open?: SavedQuery | undefined;
  readonly maySave: boolean;
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

const CHART_NAMES = { auto: 'automatic', lines: 'lines', bars: 'bars', none: 'no chart' };

/** Kind and columns of the chart, sent with the statement. */
const chartForm = ({ columns, rows }: SqlTable, { chart, x, y }: ChartChoice): Html => {
  if (rows.length < 2) return NOTHING;
  const columnNames = [...new Set(columns)].map((name): [string, string] => [name, name]);
  const names = (chosen: string): Html => options([['', 'automatic'], ...columnNames], chosen);
  return html`<div class="run small"><label>chart <select name="chart" form="query">${options(Object.entries(CHART_NAMES), chart)}</select></label><label>across <select name="x" form="query">${names(x)}</select></label><label>up <select name="y" form="query">${names(y)}</select></label><button form="query">Draw</button></div>`;
};

const outcomeSection = ({ outcome, choice }: ShownQuery): Html => {
  if (outcome === undefined) return NOTHING;
  if ('held' in outcome)
    return notice(
      'Another site linked to this statement, so it has not run yet. Read it, then press Run.',
    );
  if ('failed' in outcome)
    return html`<section role="alert"><h2>Not run</h2><p class="failed">${outcome.failed}</p></section>`;
  const { found } = outcome;
  return html`<section id="result"><div class="over"><h2>Result <span class="soft small">${countText(found)}</span></h2><button class="small" form="query" formaction="/query.csv" title="All rows, at most ${digits(FILE_ROWS)}. Text that a spreadsheet would run as a formula starts with an apostrophe.">CSV</button></div>
${chartForm(found, choice)}${queryChart(found, choice)}${found.rows.length === 0 ? html`<p class="soft">No rows.</p>` : rowsTable(found)}</section>`;
};

const exampleLink = (sql: string): string => `/query?${new URLSearchParams({ sql })}`;

/** The first sentence of a text, and the rest. */
const sentencesOf = (text: string): [string, string] => {
  const end = text.indexOf('. ');
  return end < 0 ? [text, ''] : [text.slice(0, end + 1), text.slice(end + 2)];
};

const relation = ({
  name,
  about,
  columns,
  example,
}: DictionaryGroup['relations'][number]): Html => {
  const [first, rest] = sentencesOf(about);
  return html`<details><summary><code>${name}</code> <span class="soft small">${first}</span></summary>${rest === '' ? NOTHING : html`<p class="small soft">${rest}</p>`}<p class="small"><a href="${exampleLink(example)}">Run an example</a></p><ul><li><button type="button" data-name="${name}">${name}</button> <i>table</i>${columns.map(
    (column) =>
      html`<li><button type="button" data-name="${column.name}">${column.name}</button> <i>${column.type}</i> ${column.meaning}`,
  )}</ul></details>`;
};

const dictionaryAside = (groups: readonly DictionaryGroup[]): Html =>
  html`<section class="dictionary"><h2>Dictionary</h2><p class="small soft">Times are Unix milliseconds in tables and ISO text in views. Click a name to insert it at the cursor.</p><input type="search" id="find" placeholder="search views and columns" aria-label="Search views and columns" hidden>${groups.map(
    ({ title, about, relations }) =>
      html`<div class="group"><h3>${title} <span class="soft small">${about}</span></h3>${relations.map(relation)}</div>`,
  )}<p class="soft small" id="found-none" hidden>Nothing has this name.</p></section>`;

const savedList = ({ saved, open, maySave }: ShownQuery): Html =>
  saved.length === 0
    ? NOTHING
    : html`<section class="saved"><h2>Saved queries</h2><ul class="plain">${saved.map(
        ({ slug, name }) =>
          html`<li><a href="/query/${encodeURIComponent(slug)}"${slug === open?.slug ? raw(' aria-current="page"') : ''}>${name}</a>${
            maySave
              ? html` <form method="post" action="/query/delete"><input type="hidden" name="slug" value="${slug}"><button class="small" aria-label="Delete ${name}">×</button></form>`
              : NOTHING
          }</li>`,
      )}</ul></section>`;

const saveFields = ({ open, maySave }: ShownQuery): Html =>
  maySave
    ? html`<div class="run"><label class="small">name <input name="name" maxlength="80" size="24" placeholder="my question" value="${open?.name ?? ''}"></label><button formaction="/query/save">Save</button></div>`
    : NOTHING;

const cookbook = (recipes: readonly CookbookQuery[]): Html =>
  html`<details class="recipes"><summary>Cookbook: ${recipes.length} questions with their SQL</summary><ol class="small">${recipes.map(
    ({ question, sql }) => html`<li><a href="${exampleLink(sql)}">${question}</a>`,
  )}</ol></details>`;

/** `/query`: an SQL statement, its result, saved queries and the dictionary. */
export const queryPage = (shown: ShownQuery): FramedPage => {
  const { sql, asOf, dictionary, recipes, open } = shown;
  return {
    title: open?.name ?? 'Query',
    isTimed: false,
    whenChanged: 'tell',
    scripts: ['query.js'],
    about: html`Read-only SQL over the whole lake`,
    main: html`<div class="grid"><div class="stack">
<section><form id="query" method="post" action="/query"><label class="unseen" for="sql">SQL</label><textarea id="sql" name="sql" rows="8" spellcheck="false" autocapitalize="off" autocomplete="off" required maxlength="20000">${sql === '' ? EXAMPLE : sql}</textarea>
<div class="run"><button id="run">Run</button><label class="small">as of <input name="asOf" size="24" placeholder="now" value="${asOf === undefined ? '' : isoOf(asOf)}" title="ISO 8601 instant: the lake as it was known then"></label><span class="soft small">Ctrl+Enter. One SELECT, at most 10 s, read-only.</span></div>${saveFields(shown)}</form>
${cookbook(recipes)}</section>
${outcomeSection(shown)}</div>
<div class="stack">${savedList(shown)}${dictionaryAside(dictionary)}</div></div>`,
  };
};
