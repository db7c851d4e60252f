import { PERIODS } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../base/durations.ts';
import { isBusy } from '../exclusive.ts';
import { withFewPages } from '../few-pages.ts';
import type { Lake } from '../open.ts';
import { required } from '../prepare.ts';
import { prepared } from '../statements.ts';
import { PERIOD_MS } from './computed-list.ts';
import { hashtagBasis } from './hashtag-basis.ts';
import { holdsListBasis, keepListBases, type PackedBasis } from './list-basis.ts';
import { videoBases } from './video-basis.ts';
import { snapshotsWithin } from './window-snapshots.ts';

const NEWEST = 'select max(observed_at) from video_snapshot where observed_at <= ?';
const REVISED = 'select coalesce(max(until_at), 0) from video_revision where until_at <= ?';
/** A service's clock may be ahead by so much. What is dated later is not counted until then. */
const AHEAD_MS = HOUR_MS;

/**
 * With fewer snapshots in a month, windows are read on request: 60 ms, hashtags 0.15 s. Reading
 * them ahead took a tenth of a short sync.
 */
const WORTH_KEEPING = 100_000;

const basesOf = (lake: Lake, asOf: number, least: number): PackedBasis[] => {
  const month = { from: asOf - PERIOD_MS.month, to: asOf };
  if (snapshotsWithin(lake, month, least) < least) return [];
  const videos = PERIODS.flatMap((period) => videoBases(lake, PERIOD_MS[period], asOf));
  return [...videos, ...hashtagBasis(lake, PERIOD_MS.month, asOf)];
};

/**
 * Reads ahead what the lists of the common windows (a day, a week, a month; hashtags of a month) are made
 * from, so that the first of each after a start need not read it. Reads about as much as computing each
 * list once, and locks nobody out meanwhile. Call it when much was loaded; does nothing where nothing was
 * loaded since, and keeps nothing where another process wrote meanwhile or writes on: lists are then made
 * from the lake, as before.
 * @param now Unix ms; rows dated long after it are left out, and lists of that time are computed from the lake
 * @returns whether what is kept is true of the lake
 */
export const makeListBasis = (lake: Lake, now: number, { least = WORTH_KEEPING } = {}): boolean => {
  if (holdsListBasis(lake)) return true;
  const make = lake.sqlite.transaction(() => {
    if (holdsListBasis(lake)) return; // another process was as fast
    const latest = now + AHEAD_MS;
    const newest = required(prepared(lake, NEWEST, 'number?').get(latest));
    if (newest === null) return;
    const asOf = Math.max(newest, required(prepared(lake, REVISED, 'number').get(latest)));
    keepListBases(lake, basesOf(lake, asOf, least));
  });
  try {
    withFewPages(lake, make);
    return true;
  } catch (error) {
    if (isBusy(error)) return false; // somebody else wrote since reading began, or writes for long
    throw error;
  }
};
