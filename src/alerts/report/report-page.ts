import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { DAY_MS } from '../../base/durations.ts';
import { dateOf, minuteOf } from '../../base/iso.ts';
import { linePath } from '../../base/line-path.ts';
import { plainHandle } from '../../base/wire/folding.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import { KIND_WORDS } from '../../lake/read/subject-name.ts';
import type { TimelinePoint } from '../../lake/read/timeline.ts';
import type { Faller, Riser, RisingCreator, TagTable, WeeklyReport } from './weekly-report.ts';

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

const STYLE = `
:root { color-scheme: light dark; --ink: #182230; --soft: #5b667a; --line: #dfe3ea; --ground: #fff; --mark: #2f5fe3; --wash: #eaf0ff; --up: #0b7a57; --down: #b93815; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf1; --soft: #97a1b3; --line: #283042; --ground: #10151e; --mark: #86a8ff; --wash: #1d2740; --up: #4fd1a1; --down: #ff9c7a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 960px; padding: 28px 20px 48px; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 26px; letter-spacing: -.02em; margin: 0; } h2 { font-size: 17px; margin: 34px 0 8px; } h3 { font-size: 14px; margin: 16px 0 4px; }
.soft { color: var(--soft); } .small { font-size: 13px; } .up { color: var(--up); } .down { color: var(--down); }
.wide { overflow-x: auto; } table { width: 100%; border-collapse: collapse; } th, td { text-align: left; padding: 6px 10px 6px 0; border-top: 1px solid var(--line); vertical-align: top; } thead th { border-top: 0; font-size: 12px; color: var(--soft); font-weight: 400; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; } td:last-child, th:last-child { padding-right: 0; }
.title { font-weight: 500; overflow-wrap: anywhere; } svg { display: block; } .line { width: 120px; height: 30px; } .line path { fill: none; stroke: var(--mark); stroke-width: 1.6; vector-effect: non-scaling-stroke; } .bars rect { fill: var(--mark); } .bars text { fill: var(--soft); font-size: 11px; }
dl { display: flex; flex-wrap: wrap; gap: 10px 34px; margin: 14px 0 0; } dt { font-size: 12px; color: var(--soft); } dd { margin: 0; font-size: 20px; font-weight: 600; }
footer { margin-top: 40px; border-top: 1px solid var(--line); padding-top: 12px; }
@media (max-width: 560px) { .chart { display: none; } }
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --line: #ccc; --ground: #fff; --mark: #2f5fe3; --up: #0b7a57; --down: #b93815; } body { padding: 0; max-width: none; font-size: 12px; } h2 { break-after: avoid; } tr, dl { break-inside: avoid; } @page { margin: 16mm; } }
`;

const number = (value: number | null): string =>
  value === null ? '–' : value.toLocaleString('en');
const percent = (change: number | null): Html =>
  change === null
    ? html`<span class="soft">not known</span>`
    : html`<span class="${change < 0 ? 'down' : 'up'}">${change < 0 ? '' : '+'}${Math.round(100 * change)} %</span>`;

const LINE = { width: 120, height: 30, margin: 2 };

/** Views over the week; empty with fewer than two snapshots. */
const line = (points: readonly TimelinePoint[]): Html => {
  const drawn = linePath(points, LINE);
  return drawn === undefined
    ? raw('')
    : raw(
        `<svg class="line" viewBox="0 0 ${LINE.width} ${LINE.height}" preserveAspectRatio="none" role="img" aria-label="from ${number(drawn.first)} to ${number(drawn.last)} views"><path d="M${drawn.path}"/></svg>`,
      );
};

const BARS = { width: 420, height: 90, foot: 16 };

/** Snapshots of each day, so that a day without any is seen. */
const bars = (counts: readonly number[], from: number): Html => {
  const most = Math.max(1, ...counts);
  const step = BARS.width / counts.length;
  const drawn = counts.map((count, day) => {
    const height = (count / most) * (BARS.height - BARS.foot);
    const x = day * step;
    const label = dateOf(from + day * DAY_MS).slice(5);
    return `<rect x="${(x + 4).toFixed(1)}" y="${(BARS.height - BARS.foot - height).toFixed(1)}" width="${(step - 8).toFixed(1)}" height="${height.toFixed(1)}"><title>${label}: ${number(count)} snapshots</title></rect><text x="${(x + step / 2).toFixed(1)}" y="${BARS.height - 3}" text-anchor="middle">${label}</text>`;
  });
  return raw(
    `<svg class="bars" width="${BARS.width}" viewBox="0 0 ${BARS.width} ${BARS.height}" style="max-width:100%" role="img" aria-label="snapshots a day">${drawn.join('')}</svg>`,
  );
};

const video = ({ title, user, platform, id }: ContentItem): Html =>
  html`<span class="title">${title === null || title === '' ? id : title}</span><br><span class="soft small">${user === null ? '' : `@${plainHandle(user)}, `}${platform}, ${id}</span>`;

const empty = (what: string): Html => html`<p class="soft">${what}</p>`;

const risersTable = (risers: readonly Riser[], from: number): Html =>
  risers.length === 0
    ? empty('No video was counted twice in this week, so no gain is known.')
    : html`<div class="wide"><table><thead><tr><th>video</th><th class="chart">views</th><th class="n">views at the end</th><th class="n">gained</th></tr></thead>
<tbody>${risers.map(
        ({ video: item, gained, since, isNew, timeline }) =>
          html`<tr><td>${video(item)}</td><td class="chart">${line(timeline)}</td><td class="n">${number(item.views)}</td><td class="n"><span class="up">+${number(gained)}</span>${since > from ? html`<br><span class="soft small">since ${isNew ? 'it was published, ' : ''}${minuteOf(since)}</span>` : ''}</td></tr>`,
      )}</tbody></table></div>`;

const fallersTable = (fallers: readonly Faller[]): Html =>
  fallers.length === 0
    ? empty('No video fell, or the lake holds no weekly list of both ends of this week.')
    : html`<div class="wide"><table><thead><tr><th>video</th><th class="n">rank a week before</th><th class="n">rank now</th></tr></thead>
<tbody>${fallers.map(
        ({ video: item, rankBefore, rankNow }) =>
          html`<tr><td>${video(item)}</td><td class="n">${rankBefore}</td><td class="n down">${rankNow ?? 'not in the first 100'}</td></tr>`,
      )}</tbody></table></div>`;

const creatorsTable = (creators: readonly RisingCreator[]): Html =>
  creators.length === 0
    ? empty('No creator had followers counted at both ends of this week.')
    : html`<div class="wide"><table><thead><tr><th>creator</th><th class="n">followers</th><th class="n">gained</th></tr></thead>
<tbody>${creators.map(
        ({ platform, handle, followers, gained }) =>
          html`<tr><td><span class="title">@${handle}</span> <span class="soft small">${platform}</span></td><td class="n">${number(followers)}</td><td class="n up">+${number(gained)}</td></tr>`,
      )}</tbody></table></div>`;

const tagsTables = (tables: readonly TagTable[]): Html =>
  tables.length === 0
    ? empty('No hashtags were seen in this week.')
    : html`${tables.map(
        ({ platform, pulled, tags }) =>
          html`<h3>${platform} <span class="soft">${pulled ? 'as the service states them' : 'counted over the videos the lake saw'}</span></h3><div class="wide"><table><thead><tr><th>tag</th><th class="n">videos in 7 days</th><th class="n">change to the week before</th></tr></thead>
<tbody>${tags.map(
            ({ tag, volume, change }) =>
              html`<tr><td>#${tag}</td><td class="n">${number(volume)}</td><td class="n">${percent(change)}</td></tr>`,
          )}</tbody></table></div>`,
      )}`;

/** The period and the filters of a report. */
export const reportSubject = ({
  query: { week, platform, creator, tag },
}: WeeklyReport): string => {
  const of = [creator === undefined ? '' : `@${plainHandle(creator)}`, platform ?? '', tag ?? ''];
  const kind = week.to - week.from === DAY_MS ? 'Day' : 'Week';
  return [`${kind} ${week.name}`, ...of.filter((part) => part !== '')].join(', ');
};

/** The report as one page that needs nothing else: no script, no file, no address. */
export const reportPage = async (report: WeeklyReport): Promise<string> => {
  const { query, asOf, madeAt, measured, events, eventsTotal } = report;
  const { week, creator, tag } = query;
  const isOver = asOf === week.to;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${reportSubject(report)}</title><style>${raw(STYLE)}</style></head><body>
<header><h1>${reportSubject(report)}</h1>
<p class="soft">${dateOf(week.from)} to ${dateOf(week.to - 1)} (UTC)${isOver ? '' : html`; <b>not over yet</b>: as known ${minuteOf(asOf)}`}</p>
<dl><div><dt>videos counted</dt><dd>${number(measured.videos)}</dd></div><div><dt>snapshots</dt><dd>${number(measured.snapshots)}</dd></div><div><dt>lists pulled</dt><dd>${number(measured.lists)}</dd></div><div><dt>events noticed</dt><dd>${number(eventsTotal)}</dd></div></dl>
${creator === undefined ? '' : html`<p class="soft small">Counts above, tags and days below are of everybody the lake watched, not of this creator alone.</p>`}${tag === undefined ? '' : html`<p class="soft small">Videos, creators, hashtags and events are those that the watches with the tag ${tag} cover. Counts of videos, snapshots and lists are of the whole lake.</p>`}</header>
<main>
<section><h2>What rose</h2>${risersTable(report.risers, week.from)}</section>
<section><h2>What fell</h2>${fallersTable(report.fallers)}</section>
<section><h2>Who</h2>${creatorsTable(report.creators)}</section>
<section><h2>Which tags</h2>${tagsTables(report.tags)}</section>
${
  creator !== undefined || events.length === 0
    ? ''
    : html`<section><h2>What was noticed</h2><div class="wide"><table><tbody>${events.map(
        ({ kind, name, occurredAt }) =>
          html`<tr><td class="soft">${minuteOf(occurredAt)}</td><td>${KIND_WORDS[kind]}</td><td dir="auto">${name}</td></tr>`,
      )}</tbody></table></div>${eventsTotal > events.length ? html`<p class="soft small">The newest ${events.length} of ${number(eventsTotal)}.</p>` : ''}</section>`
}
<section><h2>What was measured how</h2>${bars(measured.snapshotsByDay, week.from)}
<p>Snapshots of each day. A gain is the difference of two snapshots: the last one before the week (or the first one in it, then it says since when) and the last one in it; a video published in the week gained all of its views in it, and a difference over more than a week counts in proportion. Views between two snapshots are not known. Ranks are those of the weekly trends at both ends, as the service stated them where they were pulled, else by views gained. Only what this lake watched is here: a video nobody looked at has no gain, which is not a gain of zero. A change of a hashtag is given only where both weeks were watched alike.</p></section>
</main>
<footer class="soft small">Made by trendlake, ${minuteOf(madeAt)}.</footer>
</body></html>`;
  return String(await page);
};
