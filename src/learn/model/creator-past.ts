import type Database from 'better-sqlite3';
import { sourceCode } from '../../../schema/vocabulary.ts';
import { prepare } from '../../lake/prepare.ts';
import { type Curve, type EarlierVideos, logViews, type Point } from './curve.ts';

/** Newest videos of a creator that the lake loaded before. */
export const MOST_OF_CREATOR = 20;

const countOf = (order: 'asc' | 'desc'): string =>
  `(select views from video_snapshot where video_key = b.key and observed_at <= @at and views > 0
     and source <> ${sourceCode('growth')} order by observed_at ${order} limit 1)`;

const BEFORE = `
  select ${countOf('asc')}, ${countOf('desc')} from (
    select o.key from video v join video o indexed by video_platform_user
      on o.platform = v.platform and o.user = v.user
    where v.key = @key and o.key < v.key and o.first_seen_at < @at order by o.key desc
    limit ${MOST_OF_CREATOR}) b`;

/** @param growths since each video's first sight, in ln(views + 1000) */
export const creatorPastOf = (growths: readonly number[]): EarlierVideos => ({
  videos: growths.length,
  growth:
    growths.length === 0 ? null : growths.reduce((sum, growth) => sum + growth, 0) / growths.length,
});

interface KeyedCurve extends Curve {
  readonly key: number; // video.key
}

/** Adds earlier videos of the creator to a curve, as known at its first sight. */
export const creatorReader = (
  sqlite: Database.Database,
): (<C extends KeyedCurve>(curve: C) => C) => {
  const before = prepare(sqlite, BEFORE, ['number?', 'number?']);
  return (curve) => {
    const { at } = curve.points[0] as Point;
    const growths = before.all({ key: curve.key, at }).flatMap(([first, newest]) => {
      if (first === null || newest === null) return [];
      return [Math.max(0, logViews(newest) - logViews(first))];
    });
    return { ...curve, creator: creatorPastOf(growths) };
  };
};
