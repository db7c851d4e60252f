import type { Platform } from '../../../schema/vocabulary.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import type { Lake } from '../open.ts';
import { required } from '../prepare.ts';
import { prepared } from '../statements.ts';
import { knownBy } from './as-of-sql.ts';
import { contentItems, shownRate } from './content-items.ts';
import { Echoes } from './echoes.ts';

/** One snapshot of a video; the instant in Unix ms, unknown counts null. */
export interface TimelinePoint {
  readonly at: number;
  readonly views: number | null;
  readonly likes: number | null;
  readonly engagementRate: number | null; // percent
}

const VIDEO = `select v.key, v.platform from video v where v.id = ? and ${knownBy('v', '?')}`;
const POINTS = `select observed_at as at, views, likes, engagement_rate as engagementRate,
  rate_derived as derived, source from video_snapshot where video_key = +? and observed_at <= ? order by observed_at`;

const COUNT = 'select count(*) from video_snapshot where video_key = ? and observed_at <= ?';

/** The key of a video the lake knows as of `asOf`, or undefined. */
export const videoByIdAsOf = (
  lake: Lake,
  id: string,
  asOf: number,
): { key: number; platform: Platform } | undefined =>
  prepared(lake, VIDEO, { key: 'number', platform: 'platform' }).get(id, asOf);

/**
 * `GET /videos/{id}/growth`: the snapshots of a video up to `asOf`, oldest first, as observed:
 * decreases and zeros are kept. Echoes are left out.
 */
export const timeline = (lake: Lake, videoKey: number, asOf: number): TimelinePoint[] => {
  const echoes = new Echoes();
  return prepared(lake, POINTS, {
    at: 'number',
    views: 'number?',
    likes: 'number?',
    engagementRate: 'number?',
    derived: 'number',
    source: 'number',
  })
    .all(videoKey, asOf)
    .filter(({ source, views, likes }) => !echoes.isEcho(source, views, likes))
    .map(({ at, views, likes, engagementRate: rate, derived }) => ({
      at,
      views,
      likes,
      engagementRate: shownRate({ views, likes, rate, derived }),
    }));
};

/** Stored snapshots by `asOf`, those that `timeline` leaves out included. */
export const snapshotCount = (lake: Lake, videoKey: number, asOf: number): number =>
  required(prepared(lake, COUNT, 'number').get(videoKey, asOf));

/** `GET /videos/{id}`: one video as the lake knew it at `asOf`. */
export const videoRecord = (lake: Lake, videoKey: number, asOf: number): ContentItem => {
  const entry = { key: videoKey, rank: null, score: null, velocity: null };
  return contentItems(lake, [entry], asOf)[0] as ContentItem;
};
