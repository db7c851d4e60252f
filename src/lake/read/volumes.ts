import type { Lake } from '../open.ts';
import { prepare, required } from '../prepare.ts';

/** Storage tables behind the public names; counting them is quicker than counting the views. */
const STORAGE = {
  videos: 'video',
  video_snapshots: 'video_snapshot',
  rankings: 'ranking',
  hashtags: 'hashtag',
  hashtag_snapshots: 'hashtag_snapshot',
  video_hashtags: 'video_hashtag',
  creators: 'creator',
  creator_snapshots: 'creator_snapshot',
  events: 'events',
  calls: 'calls',
} as const;
type Counted = keyof typeof STORAGE;
/** Tables whose rows are counted, by their public names. */
export const COUNTED_TABLES = Object.keys(STORAGE) as Counted[];

/** Number of rows of a table, by its public name. */
export const rowsOf = ({ sqlite }: Pick<Lake, 'sqlite'>, table: Counted): number =>
  required(prepare(sqlite, `select count(*) from ${STORAGE[table]}`, 'number').get());
