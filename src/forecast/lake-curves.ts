import type Database from 'better-sqlite3';
import {
  PLATFORMS,
  type Platform,
  SOURCES,
  type Source,
  sourceCode,
} from '../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { type Prepared, prepare, present } from '../lake/prepare.ts';
import { type Curve, isSnapshotKnown, type Point } from './curve.ts';
import { finishedAfterMs, hasOutcome } from './learn.ts';
import { VIDEO_KINDS } from './model-rows.ts';

/** How a video was first seen: on a list (feed or trends), or by the source of its first snapshot. */
export type Way = 'list' | Exclude<Source, 'feed' | 'trends'>;

const wayOf = (source: Source): Way => (source === 'feed' || source === 'trends' ? 'list' : source);

/** Videos by when they were first seen, Unix ms: after one instant, up to and with another. */
interface FirstSeen {
  readonly after: number;
  readonly until: number;
  readonly order: 'asc' | 'desc';
  readonly most?: number;
}

/** A curve of the lake, and how its video was first seen. */
export interface LakeCurve extends Curve {
  readonly key: number; // video.key
  readonly way: Way;
}

/** What a model of this way is called. */
export const kindOf = (way: Way): string => `${VIDEO_KINDS}${way}`;

const MAX_POINTS = 600;
const LOOKBACK_MS = 120 * DAY_MS;
/** So many curves of a way teach, and so many videos of a platform are tried for them. */
const FINISHED_CURVES = 2500;
const RECENT_CURVES = 1000;
const TRIED = 40_000;

/**
 * Reads curves as they were known at an instant. A timeline that was pulled later reaches back
 * before the first sight; that part is left out, because nobody could have known it then.
 */
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

  /** The curve of one video as known at `at`; undefined where no count of it was known. */
  curve(key: number, createdAt: number | null, at: number): LakeCurve | undefined {
    const rows = this.#timeline.all(key, at, MAX_POINTS);
    const pulled = sourceCode('growth');
    const first = rows.findIndex(([, , source]) => source !== pulled);
    const from = Math.max(0, first);
    const points: Point[] = [];
    for (const [observedAt, views] of rows.slice(from))
      if (isSnapshotKnown(views)) points.push({ at: observedAt, views });
    if (points.length === 0) return undefined;
    const source = SOURCES[rows[from]?.[2] ?? 0] as Source;
    return { key, createdAt, points, way: wayOf(source) };
  }

  /**
   * Since when the lake has watched a platform; undefined: it has not. Videos whose timeline was
   * pulled reach back before that, and tell nothing of it.
   */
  watchedSince(platform: Platform): number | undefined {
    return prepare(
      this.#sqlite,
      `select v.first_seen_at from video v
       where v.platform = ? and v.first_seen_at is not null and ? is not (
         select s.source from video_snapshot s where s.video_key = v.key order by s.observed_at limit 1)
       order by v.first_seen_at limit 1`,
      'number',
    ).get(platform, sourceCode('growth'));
  }

  /** Curves of a platform's videos by first sight, as known at `at`, one at a time. */
  *candidates(
    platform: Platform,
    { after, until, order, most = TRIED }: FirstSeen,
    at: number,
  ): Generator<LakeCurve> {
    const rows = prepare(
      this.#sqlite,
      `select key, created_at from video where platform = ? and first_seen_at > ? and first_seen_at <= ?
         order by first_seen_at ${order}, key limit ?`,
      ['number', 'number?'],
    ).all(platform, after, until, most);
    for (const [key, createdAt] of rows) {
      const curve = this.curve(key, createdAt, at);
      if (curve !== undefined) yield curve;
    }
  }

  /**
   * The curves that teach, as known at `at`, by way of first sight, oldest first: the newest that
   * are finished, and of those still running the ones watched longest.
   */
  teaching(platform: Platform, at: number): Map<Way, LakeCurve[]> {
    const since = this.watchedSince(platform);
    const found = new Map<Way, LakeCurve[]>();
    if (since === undefined) return found;
    const edge = at - finishedAfterMs(at - since);
    const take = (
      curves: Iterable<LakeCurve>,
      wanted: (curve: LakeCurve) => boolean,
      most: number,
    ) => {
      const taken = new Map<Way, number>();
      for (const curve of curves) {
        const count = taken.get(curve.way) ?? 0;
        if (count >= most || !wanted(curve)) continue;
        taken.set(curve.way, count + 1);
        const its = found.get(curve.way) ?? [];
        its.push(curve);
        found.set(curve.way, its);
      }
    };
    take(
      this.candidates(platform, { after: at - LOOKBACK_MS, until: edge, order: 'desc' }, at),
      hasOutcome,
      FINISHED_CURVES,
    );
    const running = this.candidates(platform, { after: edge, until: at, order: 'asc' }, at);
    take(running, ({ points }) => points.length > 1, RECENT_CURVES);
    for (const curves of found.values())
      curves.sort((a, b) => (a.points[0]?.at ?? 0) - (b.points[0]?.at ?? 0) || a.key - b.key);
    return found;
  }
}

/** Videos looked through to say how many curves are finished. */
const COUNTED = 3000;

/** How many curves are finished by way of first sight, as far as the newest candidates tell; at most `enough` each. */
export const finishedCounts = (
  sqlite: Database.Database,
  platform: Platform,
  at: number,
  enough: number,
): Map<Way, number> => {
  const reader = new CurveReader(sqlite);
  const counts = new Map<Way, number>();
  const since = reader.watchedSince(platform);
  if (since === undefined) return counts;
  const edge = at - finishedAfterMs(at - since);
  const span = { after: at - LOOKBACK_MS, until: edge, order: 'desc', most: COUNTED } as const;
  for (const curve of reader.candidates(platform, span, at)) {
    const count = counts.get(curve.way) ?? 0;
    counts.set(curve.way, Math.min(enough, count + (hasOutcome(curve) ? 1 : 0)));
  }
  return counts;
};

/** The instant a lake stands at: its newest observation at or before `now`; undefined: it is empty. */
export const newestObservation = (sqlite: Database.Database, now: number): number | undefined =>
  present(
    prepare(
      sqlite,
      'select max(observed_at) from video_snapshot where observed_at <= ?',
      'number?',
    ).get(now),
  ) ?? undefined;

/** Every platform that a video is known of. */
export const platformsSeen = (sqlite: Database.Database): Platform[] => {
  const has = sqlite.prepare('select 1 from video where platform = ? limit 1');
  return PLATFORMS.filter((platform) => has.get(platform) !== undefined);
};

/** A video is tracked while its newest snapshot is no older than this. */
export const TRACKED_MS = 48 * HOUR_MS;
