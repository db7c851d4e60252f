import type Database from 'better-sqlite3';
import { type Platform, SOURCES, type Source, sourceCode } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { type Prepared, prepare } from '../../lake/prepare.ts';
import { Echoes } from '../../lake/read/echoes.ts';
import { creatorReader } from './creator-past.ts';
import { type Curve, isSnapshotKnown, type Point } from './curve.ts';
import { finishedAfterMs, hasOutcome, LEAST_FINISHED } from './learn.ts';
import { type ModelRow, modelName, VIDEO_KINDS } from './model-rows.ts';

/**
 * Way of first sight: list and period (`feed.24h`, `trends.day`), or source of the first snapshot.
 * Imports differ by the `source` of their rows (`import.radar`).
 */
export type Way = string;

const MOST_NAME = 60; // characters of an import's source

const wayOf = (source: Source, list: string | null, importSource: string | null): Way => {
  if (source === 'feed' || source === 'trends') return list ?? source;
  if (source !== 'import' || importSource === null || importSource === '') return source;
  return `import.${importSource.slice(0, MOST_NAME)}`;
};

/** Range of first sights, Unix ms; includes `until`. */
interface FirstSeen {
  readonly after: number;
  readonly until: number;
  readonly order: 'asc' | 'desc';
}

export interface LakeCurve extends Curve {
  readonly key: number; // video.key
  readonly way: Way;
}

/** A video whose curve may teach. */
interface CandidateVideo {
  readonly key: number; // video.key
  readonly createdAt: number | null;
  /** First sight, without pulled timelines, which reach back further; Unix ms. */
  readonly firstSeenAt: number;
  readonly way: Way;
}

/** Videos of one way, by first sight. */
interface WayCandidates {
  /** Start of the newest stretch of first sights without a long gap, Unix ms. */
  readonly since: number;
  /** Newest first. */
  readonly finished: readonly CandidateVideo[];
  /** Oldest first. */
  readonly running: readonly CandidateVideo[];
}

/** Curves of one way to learn from. Callers read one way at a time to save memory. */
interface TeachingWay {
  readonly since: number; // Unix ms
  /** Ways of a model of several. */
  readonly parts?: readonly Way[];
  /** Oldest first: the newest finished curves, and the oldest running ones. */
  readonly curves: () => LakeCurve[];
}

export const videoKind = (way: Way): string => `${VIDEO_KINDS}${way}`;

/** All pulled lists of a platform together, for lists with too few finished curves. */
const ALL_LISTS: Way = 'lists';
/** Finished candidates that a list needs to be forecast by the common model. */
const LEAST_OF_LIST = 20;
const isList = (way: Way): boolean => way.startsWith('feed') || way.startsWith('trends');

/** The model of a way, or the common one of all lists if it learned from this list. */
export const modelOf = (
  models: ReadonlyMap<string, ModelRow>,
  platform: Platform,
  way: Way,
): ModelRow | undefined => {
  const own = models.get(modelName(platform, videoKind(way)));
  if (own !== undefined) return own;
  const common = models.get(modelName(platform, videoKind(ALL_LISTS)));
  return common?.model.parts?.includes(way) === true ? common : undefined;
};

const PULLED = sourceCode('growth');
const MAX_POINTS = 600;
const LOOKBACK_MS = 120 * DAY_MS;
const RECENT_MS = 14 * DAY_MS;
/** After a longer gap between first sights, the history of a way starts again. */
const STRETCH_GAP_MS = 10 * DAY_MS;
/** Limits for each way, and for each platform. */
const FINISHED_CURVES = 2500;
const RECENT_CURVES = 1000;
const TRIED = 40_000;

const FIRST_LIST = `select case c.list when 'feed' then 'feed.' else 'trends.' end || c.period
  from ranking r indexed by ranking_video cross join capture c on c.key = r.capture_key and c.list <> 'import'`;

/** Reads curves as known at an instant. Leaves out the part of a pulled timeline before the first sight. */
export class CurveReader {
  readonly #sqlite: Database.Database;
  readonly #timeline: Prepared<
    [at: number, views: number | null, likes: number | null, source: number]
  >;
  readonly #list: Prepared<string>;
  readonly #importSource: Prepared<string | null>;
  readonly withCreator: (curve: LakeCurve) => LakeCurve;

  constructor(sqlite: Database.Database) {
    this.#sqlite = sqlite;
    this.#timeline = prepare(
      sqlite,
      'select observed_at, views, likes, source from video_snapshot where video_key = ? and observed_at <= ? order by observed_at limit ?',
      ['number', 'number?', 'number?', 'number'],
    );
    this.#list = prepare(
      sqlite,
      `${FIRST_LIST} where r.video_key = ? order by r.capture_key limit 1`,
      'text',
    );
    this.#importSource = prepare(
      sqlite,
      "select cast(json_extract(extra, '$.source') as text) from video_snapshot where video_key = ? and observed_at = ?",
      'text?',
    );
    this.withCreator = creatorReader(sqlite);
  }

  /** Without echoes. Undefined without a known count at `at`. */
  curve(key: number, createdAt: number | null, at: number): LakeCurve | undefined {
    const points: Point[] = [];
    let way: Way | undefined;
    const pulled: Point[] = []; // before the first sight
    const echoes = new Echoes();
    for (const [observedAt, views, likes, source] of this.#timeline.all(key, at, MAX_POINTS)) {
      if (way === undefined && source !== PULLED) way = this.#wayOf(key, observedAt, source);
      const known = way === undefined ? pulled : points;
      const isEcho = echoes.isEcho(source, views, likes);
      if (!isEcho && isSnapshotKnown(views)) known.push({ at: observedAt, views });
    }
    if (way === undefined)
      return pulled.length === 0 ? undefined : { key, createdAt, points: pulled, way: 'growth' };
    return points.length === 0 ? undefined : { key, createdAt, points, way };
  }

  #wayOf(key: number, at: number, code: number): Way {
    const source = SOURCES[code] as Source;
    const isList = source === 'feed' || source === 'trends';
    return wayOf(
      source,
      isList ? (this.#list.get(key) ?? null) : null,
      source === 'import' ? (this.#importSource.get(key, at) ?? null) : null,
    );
  }

  /** A platform's videos by first sight, as known at `at`; at most TRIED. */
  #candidates(
    platform: Platform,
    { after, until, order }: FirstSeen,
    at: number,
  ): CandidateVideo[] {
    const rows = prepare(
      this.#sqlite,
      `select v.key, v.created_at, coalesce(s.observed_at, v.first_seen_at), s.source, cast(json_extract(s.extra, '$.source') as text),
           (${FIRST_LIST} where r.video_key = v.key order by r.capture_key limit 1)
         from video v indexed by video_first_seen_at
         left join video_snapshot s on s.video_key = v.key and s.observed_at = (
           select min(observed_at) from video_snapshot
           where video_key = v.key and observed_at <= @at and source <> ${PULLED})
         where v.platform = @platform and v.first_seen_at > @after and v.first_seen_at <= @until
         order by v.first_seen_at ${order}, v.key limit ${TRIED}`,
      ['number', 'number?', 'number', 'number?', 'text?', 'text?'],
    ).all({ platform, after, until, at });
    return rows.map(([key, createdAt, firstSeenAt, code, importSource, list]) => ({
      key,
      createdAt,
      firstSeenAt,
      way: wayOf(SOURCES[code ?? PULLED] as Source, list, importSource),
    }));
  }

  /** Videos of a platform by way, those of long ago apart from those still running. */
  ways(platform: Platform, at: number): Map<Way, WayCandidates> {
    const spans: FirstSeen[] = [
      { after: at - LOOKBACK_MS, until: at - RECENT_MS, order: 'desc' },
      { after: at - RECENT_MS, until: at, order: 'asc' },
    ];
    const all = spans.flatMap((span) => this.#candidates(platform, span, at));
    const ways = Map.groupBy(all, ({ way }) => way);
    return new Map(
      [...ways].map(([way, videos]) => {
        const newest = videos.sort(newestFirst);
        const since = stretchStart(newest);
        const edge = at - finishedAfterMs(at - since);
        const finished = newest.filter(({ firstSeenAt }) => firstSeenAt <= edge);
        const running = newest.filter(({ firstSeenAt }) => firstSeenAt > edge).reverse();
        return [way, { since, finished, running }];
      }),
    );
  }

  teaching(platform: Platform, at: number): Map<Way, TeachingWay> {
    const read = ({ finished, running }: WayCandidates): LakeCurve[] =>
      [
        ...this.#first(finished, at, { most: FINISHED_CURVES, wanted: hasOutcome }),
        ...this.#first(running, at, {
          most: RECENT_CURVES,
          wanted: ({ points }) => points.length > 1,
        }),
      ].sort((a, b) => (a.points[0]?.at ?? 0) - (b.points[0]?.at ?? 0) || a.key - b.key);
    const ways = this.ways(platform, at);
    const teaching = new Map(
      [...ways].map(([way, videos]): [Way, TeachingWay] => [
        way,
        { since: videos.since, curves: () => read(videos) },
      ]),
    );
    const lists = [...ways].filter(([way]) => isList(way));
    const parts = lists.filter(([, { finished }]) => finished.length >= LEAST_OF_LIST);
    if (parts.length < 2) return teaching;
    const videos = {
      since: Math.min(...parts.map(([, { since }]) => since)),
      finished: parts.flatMap(([, part]) => part.finished).sort(newestFirst),
      running: parts.flatMap(([, part]) => part.running).sort((a, b) => newestFirst(b, a)),
    };
    return teaching.set(ALL_LISTS, {
      since: videos.since,
      parts: parts.map(([way]) => way),
      curves: () => read(videos),
    });
  }

  #first(
    videos: readonly CandidateVideo[],
    at: number,
    { most, wanted }: { most: number; wanted: (curve: LakeCurve) => boolean },
  ): LakeCurve[] {
    const curves: LakeCurve[] = [];
    for (const { key, createdAt } of videos) {
      if (curves.length >= most) break;
      const curve = this.curve(key, createdAt, at);
      if (curve !== undefined && wanted(curve)) curves.push(this.withCreator(curve));
    }
    return curves;
  }
}

const newestFirst = (a: CandidateVideo, b: CandidateVideo): number =>
  b.firstSeenAt - a.firstSeenAt || a.key - b.key;

/** @param videos newest first, at least one */
const stretchStart = (videos: readonly CandidateVideo[]): number => {
  let since = videos[0]?.firstSeenAt ?? 0;
  for (const { firstSeenAt } of videos) {
    if (since - firstSeenAt > STRETCH_GAP_MS) break;
    since = firstSeenAt;
  }
  return since;
};

/** Videos checked to count finished curves of a way. */
const COUNTED = 3000;

/** Finished curves among the newest candidates of each wanted way, up to LEAST_FINISHED. */
export const finishedCounts = (
  sqlite: Database.Database,
  platform: Platform,
  at: number,
  wanted: (way: Way) => boolean,
): Map<Way, number> => {
  const reader = new CurveReader(sqlite);
  const ways = [...reader.ways(platform, at)].filter(([way]) => wanted(way));
  return new Map(
    ways.map(([way, { finished }]) => {
      let count = 0;
      for (const { key, createdAt } of finished.slice(0, COUNTED)) {
        if (count >= LEAST_FINISHED) break;
        const curve = reader.curve(key, createdAt, at);
        if (curve !== undefined && hasOutcome(curve)) count += 1;
      }
      return [way, count];
    }),
  );
};
