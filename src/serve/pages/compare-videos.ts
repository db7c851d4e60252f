import { html, raw } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import type { ContentItem, GrowthCurve } from '../../base/wire/shapes.ts';
import { movementsOf } from '../../lake/lists/movements.ts';
import { viewsGained } from '../../lake/lists/score.ts';
import type { Lake } from '../../lake/open.ts';
import { growthCurveOf } from '../../lake/read/growth-curve.ts';
import {
  type TimelinePoint,
  timeline,
  videoByIdAsOf,
  videoRecord,
} from '../../lake/read/timeline.ts';
import { parseSubject } from '../../lake/watches/watch-subject.ts';
import { type ChartPoint, chart } from './chart.ts';
import { count, inHours, number, PLATFORM_NAMES, rate, shownRateOf, sinceText } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { hiddenLens } from './marks.ts';
import { creatorPath, linkHere, linkTo, type PageView, videoPath } from './page-view.ts';

/** A chart has this many colours. */
const MOST_VIDEOS = 4;
const LONGEST_NAME = 40;

/** Views gained in the last 24 h, by the same rule as lists, whole. Null: unknown. */
export const gainedInDay = (
  lake: Lake,
  platform: Platform,
  key: number,
  at: number,
): number | null => {
  const [movement] = movementsOf(lake, platform, { from: at - DAY_MS, to: at }, [key]);
  const gained = movement === undefined ? null : viewsGained(movement, at - DAY_MS, DAY_MS);
  return gained === null ? null : Math.round(gained);
};

/** Distinct names of a list that commas or blanks separate. */
export const namesIn = (text: string): string[] => [
  ...new Set(text.split(/[\s,]+/).filter((name) => name !== '')),
];

interface ComparedVideo {
  readonly item: ContentItem;
  readonly snapshots: readonly TimelinePoint[];
  readonly curve: GrowthCurve;
  readonly gained: number | null;
}

/** @throws UsageError for too many videos, or one that the lake does not have */
export const comparedVideos = (lake: Lake, text: string, at: number): ComparedVideo[] => {
  const names = namesIn(text);
  if (names.length > MOST_VIDEOS)
    throw new UsageError(
      `The page compares up to ${MOST_VIDEOS} videos. ${names.length} are given.`,
    );
  return names.map((name) => {
    const subject = parseSubject(name, { platform: null });
    const id = subject.kind === 'video' ? subject.subject : name;
    const found = videoByIdAsOf(lake, id, at);
    if (found === undefined)
      throw new UsageError(
        `No video "${id}" is in the lake at this time. Give the id or the address of one that is.`,
      );
    const item = videoRecord(lake, found.key, at);
    const snapshots = timeline(lake, found.key, at);
    const gained = gainedInDay(lake, item.platform, found.key, at);
    return { item, snapshots, curve: growthCurveOf(snapshots), gained };
  });
};

const nameOf = ({ title, id }: ContentItem): string => {
  const name = (title || id).replaceAll('|', '/');
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
};

/** Age at a snapshot: from publishing, else from the first snapshot. */
const agedPoints = ({
  item,
  snapshots,
}: ComparedVideo): { age: number; views: number | null }[] => {
  const born = item.createdAt === null ? (snapshots[0]?.at ?? 0) : Date.parse(item.createdAt);
  return snapshots.map(({ at, views }) => ({ age: Math.max(0, at - born), views }));
};

/** Views of all videos by age, one row an age. */
const pointsOf = (videos: readonly ComparedVideo[]): ChartPoint[] => {
  const counts = videos.map((video) => new Map(agedPoints(video).map((p) => [p.age, p.views])));
  const ages = [...new Set(counts.flatMap((of) => [...of.keys()]))].sort((a, b) => a - b);
  return ages.map((age) => [age, ...counts.map((of) => of.get(age) ?? null)]);
};

const LINES: readonly [string, (video: ComparedVideo, view: PageView) => Html | string][] = [
  ['platform', ({ item }) => PLATFORM_NAMES[item.platform]],
  [
    'creator',
    ({ item: { user, platform } }, view) =>
      user === null || user === ''
        ? '–'
        : html`<a dir="auto" href="${linkTo(view, creatorPath(platform, user))}">@${user}</a>`,
  ],
  [
    'published',
    ({ item: { createdAt } }, { at }) =>
      createdAt === null ? '–' : sinceText(Date.parse(createdAt), at),
  ],
  ['views', ({ item }) => count(item.views)],
  ['gained in 24 h', ({ gained }) => count(gained)],
  ['likes', ({ item }) => count(item.likes)],
  ['engagement', ({ item }) => rate(shownRateOf(item))],
  ['phase', ({ curve }) => curve.phase],
  ['peak pace', ({ curve: { peak } }) => (peak === null ? '–' : `${number(peak.viewsPerHour)}/h`)],
  [
    'doubles in',
    ({ curve: { doublingHours } }) => (doublingHours === null ? '–' : inHours(doublingHours)),
  ],
];

/** One of the compared subjects: its name, its page, and what identifies it in the address. */
export interface ComparedSubject {
  readonly name: string;
  readonly path: string;
  readonly id: string;
  /** Shown beside the name. */
  readonly beside?: Html;
}

/** Figures of subjects side by side, each with a link that leaves it out. `lines`: a label and its cells. */
export const comparedTable = (
  view: PageView,
  what: 'creators' | 'videos',
  subjects: readonly ComparedSubject[],
  lines: readonly (readonly [label: string, cells: readonly (Html | string)[]])[],
): Html => {
  const caption = `Compared ${what}`;
  const without = (left: ComparedSubject): string => {
    const others = subjects.filter((subject) => subject !== left);
    return linkHere(view, { [what]: others.map(({ id }) => id).join(',') });
  };
  const leaveOut = (subject: ComparedSubject): Html =>
    subjects.length > 1
      ? html` <a class="small" href="${without(subject)}" aria-label="Leave out ${subject.name}">×</a>`
      : NOTHING;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="data"><caption class="unseen">${caption}</caption>
<thead><tr><th scope="col"><span class="unseen">figure</span></th>${subjects.map(
    (subject) =>
      html`<th scope="col" class="n"><a dir="auto" href="${linkTo(view, subject.path)}">${subject.name}</a>${subject.beside ?? NOTHING}${leaveOut(subject)}</th>`,
  )}</tr></thead>
<tbody>${lines.map(([label, cells]) => html`<tr><th scope="row">${label}</th>${cells.map((cell) => html`<td class="n">${cell}</td>`)}</tr>`)}</tbody></table></div>`;
};

const table = (view: PageView, videos: readonly ComparedVideo[]): Html =>
  comparedTable(
    view,
    'videos',
    videos.map(({ item }) => ({ name: nameOf(item), path: videoPath(item.id), id: item.id })),
    LINES.map(([label, show]) => [label, videos.map((video) => show(video, view))]),
  );

export const videosForm = (view: PageView, videos: string): Html =>
  html`<section><form class="search" method="get" action="/compare">
<label class="grow"><span class="soft small">up to ${MOST_VIDEOS} videos</span><input name="videos" value="${videos}" required maxlength="2000" placeholder="id or address of a video, another one"${raw(videos === '' ? '' : ' autocomplete="off"')}></label>
${hiddenLens(view)}<button>compare</button></form></section>`;

export const comparedVideosSections = (view: PageView, videos: readonly ComparedVideo[]): Html =>
  html`<section><h2>Views by age <span class="soft small">since publishing, or since the first count if that is unknown</span></h2>${chart(
    {
      points: pointsOf(videos),
      names: videos.map(({ item }) => nameOf(item)),
      unit: 'views',
      isByAge: true,
    },
  )}</section>
<section><h2>Figures</h2>${table(view, videos)}${videos.length === 1 ? html`<p class="soft small">Add a second video above to compare.</p>` : NOTHING}</section>`;
