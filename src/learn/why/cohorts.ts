import type Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, type RowOf, required } from '../../lake/prepare.ts';
import { knownBy, lastKnownAt } from '../../lake/read/as-of-sql.ts';
import { SPELLINGS_OF_ONE } from '../../lake/read/spellings.ts';
import type { LabVideo } from './title-features.ts';

// Comparison groups. Each has a size limit, so an analysis costs the same on a lake of a million videos.
// The evidence says if a group is a sample.

export interface AnalyzedVideo extends LabVideo {
  readonly id: string;
  readonly platform: Platform;
}

/** Videos to compare with, without the analyzed one. */
export interface Group {
  readonly videos: readonly AnalyzedVideo[];
  /** More videos qualify than were read. */
  readonly sampled: boolean;
}

const RUNS = 256;
const RUN_ROWS = 24;
const COHORT_SIDE_MOST = 1000;
const COHORT_SCAN_MOST = 4000;
const CREATOR_MOST = 500;
const TAGS_MOST = 15;
const NICHE_ENOUGH = 400;
const NICHE_PER_TAG_MOST = 1000;

/** A video with its last known counts at an instant. Bind the instant twice. */
const LAB_VIDEO = `
  select v.key, v.id, v.platform, v.title, v.user, v.created_at as createdAt,
    s.views, s.likes,
    case when json_valid(v.extra) then coalesce(v.extra ->> '$.durationSec', v.extra ->> '$.duration') end as durationSec
  from video v
  join video_snapshot s on s.video_key = v.key and s.observed_at =
    ${lastKnownAt('views', { video: 'v.key', at: '?', telling: '> 0' })}
  where v.first_seen_at <= ?`;

const ROW = {
  key: 'number',
  id: 'text',
  platform: 'platform',
  title: 'text?',
  user: 'text?',
  createdAt: 'number?',
  views: 'number',
  likes: 'number?',
  durationSec: 'any',
} as const;

const labVideo = ({ durationSec, ...row }: RowOf<typeof ROW>): AnalyzedVideo => ({
  ...row,
  durationSec: typeof durationSec === 'number' && durationSec > 0 ? durationSec : null,
});
const labVideos = (rows: readonly RowOf<typeof ROW>[]): AnalyzedVideo[] => rows.map(labVideo);

/** The video as of `asOf`. Its views are 0 if no count above 0 was known. */
export const readSubject = (
  { sqlite }: Lake,
  id: string,
  asOf: number,
): AnalyzedVideo | undefined => {
  const counted = prepare(sqlite, `${LAB_VIDEO} and v.id = ?`, ROW).get(asOf, asOf, id);
  const row =
    counted ??
    prepare(
      sqlite,
      `select key, id, platform, title, user, created_at as createdAt,
        0 as views, null as likes, null as durationSec
      from video v where id = ? and ${knownBy('v', '?')}`,
      ROW,
    ).get(id, asOf);
  return row === undefined ? undefined : labVideo(row);
};

/** First keys of the sampled runs: evenly spread, and equal for equal lakes. */
const runStarts = (greatest: number): number[] => {
  if (greatest <= RUNS * RUN_ROWS)
    return Array.from({ length: Math.ceil(greatest / RUN_ROWS) }, (_, i) => i * RUN_ROWS + 1);
  const golden = 0.618_033_988_749_895;
  return Array.from({ length: RUNS }, (_, i) => 1 + Math.floor(((i * golden) % 1) * greatest));
};

/** A sample in short runs of neighbours. They share a database page, which is ten times as fast as single rows. */
export const platformGroup = ({ sqlite }: Lake, subject: AnalyzedVideo, asOf: number): Group => {
  const greatest = required(prepare(sqlite, 'select max(key) from video', 'number?').get()) ?? 0;
  const read = prepare(
    sqlite,
    `${LAB_VIDEO} and v.key >= ? and v.key < ? and v.platform = ? and v.key <> ?`,
    ROW,
  );
  const found = new Map<number, AnalyzedVideo>(); // runs may overlap
  for (const start of runStarts(greatest))
    for (const video of labVideos(
      read.all(asOf, asOf, start, start + RUN_ROWS, subject.platform, subject.key),
    ))
      found.set(video.key, video);
  return { videos: [...found.values()], sampled: greatest > RUNS * RUN_ROWS };
};

/** Longest distance in publishing time to a video of the same age group. */
export const cohortSpanMs = (subject: AnalyzedVideo, asOf: number): number =>
  Math.min(30 * DAY_MS, Math.max(12 * HOUR_MS, (asOf - (subject.createdAt ?? asOf)) / 4));

/** Videos of the platform published nearest before and after. */
export const ageGroup = ({ sqlite }: Lake, subject: AnalyzedVideo, asOf: number): Group => {
  const { createdAt, platform, key } = subject;
  if (createdAt === null) return { videos: [], sampled: false };
  const span = cohortSpanMs(subject, asOf);
  const near = (condition: string, order: string, bound: number): [number, Platform][] =>
    prepare(
      sqlite,
      `select key, platform from video where ${condition} order by created_at ${order}, key ${order} limit ?`,
      ['number', 'platform'],
    ).all(createdAt, bound, COHORT_SCAN_MOST);
  const read = prepare(sqlite, `${LAB_VIDEO} and v.key in (select value from json_each(?))`, ROW);
  const sides = [
    near('created_at <= ? and created_at >= ?', 'desc', createdAt - span),
    near('created_at > ? and created_at <= ?', 'asc', createdAt + span),
  ].map((scanned) => {
    const keys = scanned.filter((row) => row[1] === platform && row[0] !== key).map(([k]) => k);
    const isCut = scanned.length >= COHORT_SCAN_MOST || keys.length > COHORT_SIDE_MOST;
    return { isCut, keys: keys.slice(0, COHORT_SIDE_MOST) };
  });
  return {
    videos: sides.flatMap(({ keys }) => labVideos(read.all(asOf, asOf, JSON.stringify(keys)))),
    sampled: sides.some(({ isCut }) => isCut),
  };
};

/** Newest first. */
export const creatorGroup = ({ sqlite }: Lake, subject: AnalyzedVideo, asOf: number): Group => {
  if (subject.user === null) return { videos: [], sampled: false };
  const rows = prepare(
    sqlite,
    `${LAB_VIDEO} and v.platform = ? and v.key <> ? and v.user in (${SPELLINGS_OF_ONE}) order by v.created_at desc, v.key desc limit ?`,
    ROW,
  ).all(asOf, asOf, subject.platform, subject.key, foldHandle(subject.user), CREATOR_MOST);
  return { videos: labVideos(rows), sampled: rows.length >= CREATOR_MOST };
};

export interface SubjectTag {
  readonly key: number;
  readonly tag: string;
}

export const subjectTags = ({ sqlite }: Lake, subject: AnalyzedVideo): SubjectTag[] =>
  prepare<SubjectTag>(
    sqlite,
    `select h.key, h.tag from video_hashtag vh join hashtag h on h.key = vh.hashtag_key
      where vh.video_key = ? order by vh.position`,
    { key: 'number', tag: 'text' },
  ).all(subject.key);

/** A tag on more videos, and on more than this share of its platform's, names no niche (`#fyp`). */
const GENERIC_LEAST = 200;
const GENERIC_SHARE = 0.1;
const VIDEOS_COUNTED = 50_000;

/** Counts the uses of a tag on a platform, up to a limit that no niche reaches, and says if it is generic. */
const tagUses = (sqlite: Database.Database, platform: Platform) => {
  const uses = prepare(
    sqlite,
    `select count(*) from (select 1 from video_hashtag vh cross join video v on v.key = vh.video_key
       where vh.hashtag_key = ? and v.platform = ? limit ${GENERIC_SHARE * VIDEOS_COUNTED + 1})`,
    'number',
  );
  const videos = prepare(
    sqlite,
    `select count(*) from (select 1 from video where platform = ? limit ${VIDEOS_COUNTED})`,
    'number',
  );
  const most = Math.max(GENERIC_LEAST, GENERIC_SHARE * required(videos.get(platform)));
  return (key: number): { uses: number; isGeneric: boolean } => {
    const count = required(uses.get(key, platform));
    return { uses: count, isGeneric: count > most };
  };
};

/** Tests whether a tag is too common on a platform to name a niche. */
export const genericTest = ({ sqlite }: Lake, platform: Platform): ((key: number) => boolean) => {
  const usesOf = tagUses(sqlite, platform);
  return (key) => usesOf(key).isGeneric;
};

/** Tags from rare to common, without generic ones and those that fewer than 5 videos use. */
const nicheTags = (
  sqlite: Database.Database,
  platform: Platform,
  tags: readonly SubjectTag[],
): SubjectTag[] => {
  const usesOf = tagUses(sqlite, platform);
  return tags
    .slice(0, TAGS_MOST)
    .map((tag) => ({ ...tag, ...usesOf(tag.key) }))
    .filter(({ uses, isGeneric }) => uses > 4 && !isGeneric)
    .sort((a, b) => a.uses - b.uses);
};

export interface NicheGroup extends Group {
  /** Shared hashtags, rarest first. */
  readonly tags: readonly string[];
  /** Videos that share one of the first `NEAREST_TAGS` hashtags. */
  readonly nearest: readonly AnalyzedVideo[];
}

export const NEAREST_TAGS = 2;

/** Videos that share its rarest hashtags. Adds tags until there are `NICHE_ENOUGH` videos. */
export const nicheGroup = (
  { sqlite }: Lake,
  subject: AnalyzedVideo,
  tags: readonly SubjectTag[],
  asOf: number,
): NicheGroup => {
  const read = prepare(
    sqlite,
    `${LAB_VIDEO} and v.platform = ? and v.key <> ? and v.key in
      (select video_key from video_hashtag where hashtag_key = ? order by video_key desc limit ?)`,
    ROW,
  );
  const found = new Map<number, AnalyzedVideo>();
  const chosen: string[] = [];
  let nearest: AnalyzedVideo[] = [];
  let sampled = false;
  for (const { key, tag } of nicheTags(sqlite, subject.platform, tags)) {
    if (found.size >= NICHE_ENOUGH) break;
    const rows = read.all(asOf, asOf, subject.platform, subject.key, key, NICHE_PER_TAG_MOST);
    for (const video of labVideos(rows)) found.set(video.key, video);
    sampled ||= rows.length >= NICHE_PER_TAG_MOST / 2;
    chosen.push(tag);
    if (chosen.length <= NEAREST_TAGS) nearest = [...found.values()];
  }
  return { videos: [...found.values()], sampled, tags: chosen, nearest };
};

/** Uses of a tag among sampled videos of the platform, before and around publishing. */
export interface TagRise {
  readonly tag: string;
  readonly before: number;
  readonly beforeOf: number;
  readonly after: number;
  readonly afterOf: number;
}

const RISE_BEFORE_MS = 3 * DAY_MS;
const RISE_AFTER_MS = 4 * DAY_MS;

/** Compares the week around publishing (3 days before to 4 after, known at `asOf`) with the week before. */
export const risingTags = (
  { sqlite }: Lake,
  subject: AnalyzedVideo,
  tags: readonly SubjectTag[],
  asOf: number,
): TagRise[] => {
  if (subject.createdAt === null || tags.length === 0) return [];
  const middle = subject.createdAt - RISE_BEFORE_MS;
  const chosen = tags.slice(0, TAGS_MOST);
  const marks = chosen.map(() => '?').join(', ');
  const windowed = `select key from video where created_at >= ? and created_at < ? and platform = ?
    and first_seen_at <= ? and key <> ? order by created_at, key limit ${COHORT_SCAN_MOST}`;
  const counts = (from: number, to: number): { of: number; byTag: Map<number, number> } => {
    const window = [from, to, subject.platform, asOf, subject.key];
    const of = required(
      prepare(sqlite, `select count(*) from (${windowed})`, 'number').get(...window),
    );
    const rows = prepare(
      sqlite,
      `select vh.hashtag_key, count(*) from (${windowed}) w
        join video_hashtag vh on vh.video_key = w.key
        where vh.hashtag_key in (${marks}) group by 1`,
      ['number', 'number'],
    ).all(...window, ...chosen.map((tag) => tag.key));
    return { of, byTag: new Map(rows) };
  };
  const span = RISE_BEFORE_MS + RISE_AFTER_MS;
  const before = counts(middle - span, middle);
  const after = counts(middle, Math.min(asOf, middle + span));
  return chosen.map(({ key, tag }) => ({
    tag,
    before: before.byTag.get(key) ?? 0,
    beforeOf: before.of,
    after: after.byTag.get(key) ?? 0,
    afterOf: after.of,
  }));
};
