import { html } from 'hono/html';
import { HOUR_MS, MINUTE_MS } from '../../base/durations.ts';
import { commandText } from '../../base/installation.ts';
import { minuteOf } from '../../base/iso.ts';
import type { PipelineNow, SourceState } from '../../run/pipeline/pipeline-state.ts';
import {
  ago,
  digits,
  inHours,
  instantTime,
  number,
  PLATFORM_NAMES,
  sinceText,
  tile,
} from './figures.ts';
import { forecastStateWords } from './forecast-words.ts';
import { type Html, NOTHING } from './html.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Short size, such as 4.2 MB. */
const bytesText = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const size = bytes / 1000 ** power;
  return `${size < 10 && power > 0 ? size.toFixed(1) : Math.round(size)} ${UNITS[power]}`;
};

const ahead = (at: number, now: number): string => {
  const ms = Math.max(0, at - now);
  return ms < 2 * HOUR_MS
    ? `in ${Math.round(ms / MINUTE_MS)} min`
    : `in ${inHours(Math.round(ms / HOUR_MS))}`;
};

const freshest = (sources: readonly SourceState[]): number | null =>
  sources.reduce<number | null>(
    (newest, { lastAnswerAt }) =>
      lastAnswerAt !== null && (newest === null || lastAnswerAt > newest) ? lastAnswerAt : newest,
    null,
  );

/** Size of the Parquet files, and partitions that are not exported yet. */
const parquetSize = ({ parquet, status }: PipelineNow): string => {
  if (parquet === null) return `create with ${commandText('export')}`;
  const bytes = bytesText(parquet.tables.reduce((sum, table) => sum + table.bytes, 0));
  if (!parquet.isCurrent) return `${bytes}, from an earlier version`;
  return status.unexported > 0
    ? `${bytes}, ${digits(status.unexported)} partitions changed since`
    : bytes;
};

export const pipelineTiles = (now: PipelineNow, at: number): Html => {
  const month = 'unknown' in now.quota ? undefined : now.quota.month;
  const [daemon] = now.daemons;
  const last = freshest(now.sources);
  const isStale = now.sources.some((source) => source.isStale);
  const next = now.sources
    .flatMap(({ job, nextAt }) => (nextAt === null ? [] : [{ job, nextAt }]))
    .toSorted((a, b) => a.nextAt - b.nextAt)[0];
  const files = now.parquet?.tables.reduce((sum, table) => sum + table.files, 0);
  return html`<dl class="tiles">
${tile('calls left', number(month?.remaining), month === undefined ? 'the shared ledger is not reachable' : `of ${number(month.limit)}, until ${minuteOf(month.endsAt).slice(0, 10)}`)}
${tile('last answer', last === null ? '–' : sinceText(last, at), isStale ? html`<span class="down">some sources are stale</span>` : 'newest of all sources')}
${tile('daemon', daemon === undefined ? html`<span class="${isStale ? 'down' : 'soft'}">not running</span>` : html`<span class="up">running</span>`, daemon === undefined ? `start with ${commandText('schedule')}` : html`${daemon.holder}, since ${minuteOf(daemon.since)}`)}
${tile('next slot', next === undefined ? '–' : ahead(next.nextAt, at), next === undefined ? 'nothing is scheduled' : `${next.job}, ${minuteOf(next.nextAt)}`)}
${tile('last backup', now.backup === null ? html`<span class="soft">none yet</span>` : now.backup.date, now.backup === null ? `${commandText('schedule')} creates one each night` : `${bytesText(now.backup.bytes)}, ${now.backup.kept} kept`)}
${tile('Parquet', files === undefined ? '–' : `${digits(files)} files`, parquetSize(now))}
</dl>`;
};

/** Stale sources in one sentence, as they mostly have one cause. */
const staleSentence = ({ sources, daemons }: PipelineNow, at: number): string | undefined => {
  const stale = sources.filter(({ isStale }) => isStale);
  const last = freshest(stale);
  if (last === null) return undefined;
  const advice =
    daemons.length === 0
      ? `\`${commandText('schedule')}\` is not running: start it, or run \`${commandText('sync')}\` once.`
      : `\`${commandText('status')}\` shows why.`;
  return `${stale.map(({ job }) => job).join(', ')} last answered ${ago(last, at)}. ${advice}`;
};

/** A sentence with its `commands` as code. */
const withCode = (sentence: string): Html =>
  html`${sentence.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;

export const conditionsSection = (now: PipelineNow, at: number): Html => {
  // endpoints are shown to the operator only
  const others = now.conditions.filter(({ kind }) => kind !== 'endpoint' && kind !== 'stale');
  const stale = staleSentence(now, at);
  const shown = [
    ...(stale === undefined ? [] : [stale]),
    ...others.map(({ sentence }) => sentence),
  ];
  if (shown.length === 0) return NOTHING;
  return html`<section class="wrong"><h2>Needs attention</h2><ul class="plain">${shown.map((sentence) => html`<li>${withCode(sentence)}</li>`)}</ul></section>`;
};

export const sourcesSection = ({ sources, chores }: PipelineNow, at: number): Html =>
  html`<section><h2>Sources and slots</h2><div class="scroll"><table class="data"><caption class="unseen">Freshness and next slots</caption><thead><tr><th scope="col">source</th><th scope="col">last answer</th><th scope="col">next</th></tr></thead><tbody>${sources.map(
    ({ job, lastAnswerAt, isStale, nextAt }) =>
      html`<tr><td>${job}</td><td>${lastAnswerAt === null ? 'never' : html`<span class="dot${isStale ? '' : ' fresh'}"></span>${sinceText(lastAnswerAt, at)}`}${isStale ? html` <span class="down small">stale</span>` : ''}</td><td>${nextAt === null ? 'off' : html`${ahead(nextAt, at)} <span class="soft small no-phone">${minuteOf(nextAt)}</span>`}</td></tr>`,
  )}${chores.map(({ name, nextAt }) => html`<tr><td>${name}</td><td class="soft">makes no calls</td><td>${nextAt === null ? 'off' : html`${ahead(nextAt, at)} <span class="soft small no-phone">${minuteOf(nextAt)}</span>`}</td></tr>`)}</tbody></table></div></section>`;

export const parquetSection = ({ parquet }: PipelineNow, at: number): Html =>
  html`<section><h2>Parquet <span class="soft small">${parquet === null ? '' : html`${parquet.codec === null ? '' : `${parquet.codec}, `}exported ${sinceText(Date.parse(parquet.exportedAt), at)}`}</span></h2>${
    parquet === null
      ? html`<p class="soft">No export found, or its <code>manifest.json</code> is not readable. Run <code>${commandText('export')}</code> to write all files.</p>`
      : html`${parquet.isCurrent ? '' : html`<p class="soft">These files were written by an earlier version of trendlake. The next <code>${commandText('export')}</code> rewrites all of them.</p>`}<div class="scroll"><table class="data"><caption class="unseen">Exported tables</caption><thead><tr><th scope="col">table</th><th scope="col" class="n">files</th><th scope="col" class="n">rows</th><th scope="col" class="n">size</th><th scope="col" class="no-phone">newest day</th></tr></thead><tbody>${parquet.tables.map(
          ({ table, files, rows, bytes, newest }) =>
            html`<tr><td>${table}</td><td class="n">${digits(files)}</td><td class="n">${digits(rows)}</td><td class="n">${bytesText(bytes)}</td><td class="no-phone">${rows === 0 ? '–' : (newest ?? '–')}</td></tr>`,
        )}</tbody></table></div>`
  }</section>`;

export const volumesSection = ({ status }: PipelineNow): Html =>
  html`<section><h2>In the lake</h2><div class="scroll"><table class="data"><caption class="unseen">Rows by table</caption><tbody>${status.volumes.map(({ table, rows }) => html`<tr><td>${table}</td><td class="n">${digits(rows)}</td></tr>`)}</tbody></table></div></section>`;

const LONGEST_SAMPLE = 120;

/** Schema drift, rejected items and failed requests. */
export const troubleSections = ({ status }: PipelineNow, at: number): Html => {
  const { drift, rejected, failures } = status;
  return html`<section><h2>Drift <span class="soft small">fields that changed shape, with their values kept</span></h2>${
    drift.length === 0
      ? html`<p class="soft">None.</p>`
      : html`<div class="scroll"><table class="data"><caption class="unseen">Drift</caption><thead><tr><th scope="col">resource</th><th scope="col">field</th><th scope="col">before</th><th scope="col">first sample</th><th scope="col">fix</th><th scope="col" class="no-phone">first seen</th></tr></thead><tbody>${drift.map(
          ({ resource, field, sample, former, setting, firstSeenAt }) =>
            html`<tr><td>${resource}</td><td><code>${field}</code></td><td><code class="request">${former?.slice(0, LONGEST_SAMPLE) ?? ''}</code></td><td><code class="request">${sample.slice(0, LONGEST_SAMPLE)}</code></td><td>${setting === null ? '' : html`<code>upstream.${setting}</code>`}</td><td class="no-phone">${sinceText(firstSeenAt, at)}</td></tr>`,
        )}</tbody></table></div>`
  }</section>
<section><h2>Rejected items <span class="soft small">without a usable id or platform, kept as JSON</span></h2>${
    rejected.length === 0
      ? html`<p class="soft">None.</p>`
      : html`<ul class="plain">${rejected.map(({ reason, items, lastSeenAt }) => html`<li><b>${digits(items)}</b> ${reason} <span class="soft small">last ${sinceText(lastSeenAt, at)}</span></li>`)}</ul>`
  }</section>
<section><h2>Failed calls <span class="soft small">the most recent failed requests</span></h2>${
    failures.length === 0
      ? html`<p class="soft">None.</p>`
      : html`<ul class="plain failures">${failures.map(({ job, request, calls, advice, state }) => {
          const last = calls.at(-1);
          return html`<li><code class="request">${request}</code> <span class="soft small">${job}${state === null ? ', by hand' : `, ${state}`}</span><br>${last === undefined ? '' : html`<span class="down"><bdi>${last.error}</bdi></span> <span class="soft small">${instantTime(last.at)}${calls.length > 1 ? `, ${calls.length} calls` : ''}</span><br>`}<span class="small">${advice}</span></li>`;
        })}</ul>`
  }</section>`;
};

export const forecastsSection = ({ forecasts }: PipelineNow): Html =>
  forecasts.length === 0
    ? NOTHING
    : html`<section><h2>Forecasts</h2><ul class="plain small">${forecasts.map(
        (state) =>
          html`<li><b>${state.platform === '' ? 'all platforms' : PLATFORM_NAMES[state.platform]}</b>, ${forecastStateWords(state)}</li>`,
      )}</ul></section>`;
