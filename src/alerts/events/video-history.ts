import type Database from 'better-sqlite3';
import { type Platform, SOURCES, type Source } from '../../../schema/vocabulary.ts';
import { prepare } from '../../lake/prepare.ts';
import { lastKnownAt } from '../../lake/read/as-of-sql.ts';
import { Echoes } from '../../lake/read/echoes.ts';
import type { Window } from './event.ts';
import type { Snapshot } from './timeline.ts';

// Reads of videos and their snapshots, in chunks of integer keys: a temporary table would need a
// writable lake, and rules are also tried over one opened for reading.

/** A video as the detectors need it. */
export interface DetectorVideo {
  readonly key: number;
  readonly id: string;
  readonly platform: Platform;
  readonly user: string | null;
  readonly createdAt: number | null;
}

const CHUNK_KEYS = 2000;

/** A list in pieces that one statement takes. */
export const chunks = function* <T>(list: Iterable<T>, most = CHUNK_KEYS): Generator<T[]> {
  let piece: T[] = [];
  for (const item of list) {
    if (piece.push(item) < most) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
};

/** Keys of the videos with snapshots inside `span`. */
export const keysSeenIn = (sqlite: Database.Database, span: Window): number[] =>
  prepare(
    sqlite,
    'select distinct video_key from video_snapshot indexed by video_snapshot_observed_at where observed_at > ? and observed_at <= ?',
    'number',
  ).all(span.from, span.to);

/** Facts of these videos. */
export const factsOf = (sqlite: Database.Database, keys: readonly number[]): DetectorVideo[] =>
  prepare(
    sqlite,
    'select v.key, v.id, v.platform, v.user, v.created_at as createdAt from json_each(?) k cross join video v on v.key = k.value',
    { key: 'number', id: 'text', platform: 'platform', user: 'text?', createdAt: 'number?' },
  ).all(JSON.stringify(keys));

/**
 * Reads the snapshots of videos inside a span by key, oldest first, without echoes. The statement is
 * prepared once, because that costs more than reading one creator.
 */
export const snapshotReader = (
  sqlite: Database.Database,
): ((keys: readonly number[], span: Window) => Map<number, Snapshot[]>) => {
  const read = prepare(
    sqlite,
    'select s.video_key, s.observed_at, s.views, s.likes, s.source from json_each(?) k cross join video_snapshot s on s.video_key = k.value where s.observed_at > ? and s.observed_at <= ? order by k.value, s.observed_at',
    ['number', 'number', 'number?', 'number?', 'number'],
  );
  return (keys, span) => {
    const snapshots = new Map<number, Snapshot[]>();
    const rows = read.iterate(JSON.stringify(keys), span.from, span.to);
    let key = Number.NaN;
    let own: Snapshot[] = [];
    let echoes = new Echoes();
    for (const [videoKey, at, views, likes, source] of rows) {
      if (videoKey !== key) {
        key = videoKey;
        own = [];
        echoes = new Echoes();
        snapshots.set(key, own);
      }
      if (echoes.isEcho(source, views, likes)) continue;
      own.push({ at, views, source: SOURCES[source] as Source });
    }
    return snapshots;
  };
};

/** Reads the last snapshot that found a count of each of some videos at or before an instant, by key. */
export const lastSnapshotReader = (
  sqlite: Database.Database,
): ((keys: readonly number[], until: number) => Map<number, Snapshot>) => {
  const read = prepare(
    sqlite,
    `select k.value as key, s.observed_at as at, s.views, s.source from json_each(?) k
       cross join video_snapshot s on s.video_key = k.value and s.observed_at =
         ${lastKnownAt('views', { video: 'k.value', at: '?', telling: '> 0' })}`,
    ['number', 'number', 'number?', 'number'],
  );
  return (keys, until) => {
    const snapshots = new Map<number, Snapshot>();
    const rows = read.iterate(JSON.stringify(keys), until);
    for (const [key, at, views, source] of rows)
      snapshots.set(key, { at, views, source: SOURCES[source] as Source });
    return snapshots;
  };
};
