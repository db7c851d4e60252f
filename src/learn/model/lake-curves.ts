import type Database from 'better-sqlite3';
import {
  PLATFORMS,
  type Platform,
  SOURCES,
  type Source,
  sourceCode,
} from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { type Prepared, prepare, required } from '../../lake/prepare.ts';
import { type Curve, isSnapshotKnown, type Point } from './curve.ts';
import { finishedAfterMs, hasOutcome, LEAST_POINTS } from './learn.ts';
import { VIDEO_KINDS } from './model-rows.ts';

/** Way of first sight: a list (feed or trends), or the source of the first snapshot. */
export type Way = 'list' | Exclude<Source, 'feed' | 'trends'>;

const wayOf = (source: Source): Way => (source === 'feed' || source === 'trends' ? 'list' : source);

/** Range of first sights, Unix ms; includes `until`. */
interface FirstSeen {
  readonly after: number;
  readonly until: number;
  readonly order: 'asc' | 'desc';
  readonly most?: number;
}

export interface LakeCurve extends Curve {
  readonly key: number; // video.key
  readonly way: Way;
}

/** A video whose curve may teach. */
interface CandidateVideo {
  readonly key: number; // video.key
  readonly createdAt: number | null;
  readonly way: Way;
  /** Has at least LEAST_POINTS snapshots. */
  readonly isLong: boolean;
}

export const videoKind = (way: Way): string => `${VIDEO_KINDS}${way}`;

const PULLED = sourceCode('growth');
const MAX_POINTS = 600;
const LOOKBACK_MS = 120 * DAY_MS;
/** Limits for each way, and for each platform. */
const FINISHED_CURVES = 2500;
const RECENT_CURVES = 1000;
const TRIED = 40_000;

/** Reads curves as known at an instant. Leaves out the part of a pulled timeline before the first sight. */
export class CurveReader {
  readonly #sqlite: Database.Database;
  readonly #timeline: Prepared<[at: number, views: number | null, source: number]>;

  constructor(sqlite: Database.Database) {
    this.#sqlite = sqlite;
    this.#timeline = prepare(
      sqlite,
      'select observed_at, views, source from video_snapshot where video_key = ? and observed_at <= ? order by observed_at limit ?',
      ['number', 'number?', 'number'],
    );
  }

  /** Undefined without a known count at `at`. */
  curve(key: number, createdAt: number | null, at: number): LakeCurve | undefined {
    const points: Point[] = [];
    let way: Way | undefined;
    const pulled: Point[] = []; // before the first sight
    for (const [observedAt, views, source] of this.#timeline.all(key, at, MAX_POINTS)) {
      if (way === undefined && source !== PULLED) way = wayOf(SOURCES[source] as Source);
      const known = way === undefined ? pulled : points;
      if (isSnapshotKnown(views)) known.push({ at: observedAt, views });
    }
    if (way === undefined)
      return pulled.length === 0
        ? undefined
        : { key, createdAt, points: pulled, way: wayOf(SOURCES[PULLED] as Source) };
    return points.length === 0 ? undefined : { key, createdAt, points, way };
  }

  /** Start of a platform's history, without pulled timelines, which reach back further. */
  watchedSince(platform: Platform): number | undefined {
    return prepare(
      this.#sqlite,
      `select v.first_seen_at from video v indexed by video_first_seen_at
       where v.platform = ? and v.first_seen_at is not null and ? is not (
         select s.source from video_snapshot s where s.video_key = v.key order by s.observed_at limit 1)
       order by v.first_seen_at limit 1`,
      'number',
    ).get(platform, PULLED);
  }

  /** A platform's videos by first sight, as known at `at`. */
  candidates(
    platform: Platform,
    { after, until, order, most = TRIED }: FirstSeen,
    at: number,
  ): CandidateVideo[] {
    const rows = prepare(
      this.#sqlite,
      `select key, created_at, (
           select source from video_snapshot
           where video_key = key and observed_at <= @at and source <> ${PULLED}
           order by observed_at limit 1),
           (select 1 from video_snapshot where video_key = key and observed_at <= @at
           order by observed_at limit 1 offset ${LEAST_POINTS - 1})
         from video indexed by video_first_seen_at
         where platform = @platform and first_seen_at > @after and first_seen_at <= @until
         order by first_seen_at ${order}, key limit @most`,
      ['number', 'number?', 'number?', 'number?'],
    ).all({ platform, after, until, most, at });
    return rows.map(([key, createdAt, source, long]) => ({
      key,
      createdAt,
      isLong: long !== null,
      way: wayOf(SOURCES[source ?? PULLED] as Source),
    }));
  }

  /**
   * Readers of the curves to learn from, by way, oldest first: the newest finished ones, and the
   * oldest running ones. Callers read one way at a time to save memory.
   */
  teaching(platform: Platform, at: number): Map<Way, () => LakeCurve[]> {
    const since = this.watchedSince(platform);
    if (since === undefined) return new Map();
    const edge = at - finishedAfterMs(at - since);
    const byWay = (span: FirstSeen): Map<Way, CandidateVideo[]> =>
      Map.groupBy(this.candidates(platform, span, at), ({ way }) => way);
    const finished = byWay({ after: at - LOOKBACK_MS, until: edge, order: 'desc' });
    const running = byWay({ after: edge, until: at, order: 'asc' });
    const ways = [...new Set([...finished.keys(), ...running.keys()])];
    const read = (way: Way): LakeCurve[] =>
      [
        ...this.#first(finished.get(way) ?? [], at, { most: FINISHED_CURVES, wanted: hasOutcome }),
        ...this.#first(running.get(way) ?? [], at, {
          most: RECENT_CURVES,
          wanted: ({ points }) => points.length > 1,
        }),
      ].sort((a, b) => (a.points[0]?.at ?? 0) - (b.points[0]?.at ?? 0) || a.key - b.key);
    return new Map(ways.map((way) => [way, () => read(way)]));
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
      if (curve !== undefined && wanted(curve)) curves.push(curve);
    }
    return curves;
  }
}

/** Videos checked to count finished curves. */
const COUNTED = 3000;

/** `at` in Unix ms; stops at `enough` curves for each way. */
interface CountedCurves {
  readonly platform: Platform;
  readonly at: number;
  readonly enough: number;
  readonly wanted: (way: Way) => boolean;
}

/** Finished curves among the newest candidates, by way. */
export const finishedCounts = (
  sqlite: Database.Database,
  { platform, at, enough, wanted }: CountedCurves,
): Map<Way, number> => {
  const reader = new CurveReader(sqlite);
  const counts = new Map<Way, number>();
  const since = reader.watchedSince(platform);
  if (since === undefined) return counts;
  const edge = at - finishedAfterMs(at - since);
  const span = { after: at - LOOKBACK_MS, until: edge, order: 'desc', most: COUNTED } as const;
  for (const { key, createdAt, way, isLong } of reader.candidates(platform, span, at)) {
    if (!wanted(way)) continue;
    const count = counts.get(way) ?? 0;
    const curve = count >= enough || !isLong ? undefined : reader.curve(key, createdAt, at);
    counts.set(way, count + (curve !== undefined && hasOutcome(curve) ? 1 : 0));
  }
  return counts;
};

/** Instant of the newest observation at or before `now`. */
export const newestObservation = (sqlite: Database.Database, now: number): number | undefined =>
  required(
    prepare(
      sqlite,
      'select max(observed_at) from video_snapshot where observed_at <= ?',
      'number?',
    ).get(now),
  ) ?? undefined;

/** Platforms with a video. */
export const platformsSeen = (sqlite: Database.Database): Platform[] => {
  const has = sqlite.prepare('select 1 from video where platform = ? limit 1');
  return PLATFORMS.filter((platform) => has.get(platform) !== undefined);
};

/** Videos with an older newest snapshot are not tracked. */
export const TRACKED_MS = 48 * HOUR_MS;
