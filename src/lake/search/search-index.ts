import { setImmediate } from 'node:timers/promises';
import { withoutSync } from '../durability.ts';
import type { Lake } from '../open.ts';
import type { RowOf } from '../prepare.ts';
import { prepared, statement } from '../statements.ts';
import { BORDER, wordsOf } from './search-words.ts';

/** The next waiting videos, with their searched texts. */
const WAITING = `
  select p.video_key as key, v.platform, v.title, v.user,
    (select group_concat(h.tag, char(10)) from video_hashtag vh
      join hashtag h on h.key = vh.hashtag_key where vh.video_key = v.key) as tags
  from search_pending p left join video v on v.key = p.video_key
  order by p.video_key limit ?`;
const WAITING_VIDEO = {
  key: 'number',
  platform: 'text?', // null: the video is gone
  title: 'text?',
  user: 'text?',
  tags: 'text?', // a line each
} as const;
/** Videos held in memory at once, and put in by one transaction: a tenth of a second. */
const BATCH_ROWS = 5000;

const indexText = (text: string | null): string => wordsOf(text ?? '').join(' ');

/** The words of those tags that are not in the title already. */
const tagsText = (tags: string | null, titleText: string): string => {
  const within = ` ${titleText} `;
  return (tags ?? '')
    .split('\n')
    .map(indexText)
    .filter((tag) => tag !== '' && !within.includes(` ${tag} `))
    .join(` ${BORDER} `);
};

const putIn = (lake: Lake, video: RowOf<typeof WAITING_VIDEO>): void => {
  const title = indexText(video.title);
  statement(
    lake,
    'insert or replace into search (rowid, platform, title, user, tags) values (?, ?, ?, ?, ?)',
  ).run(video.key, video.platform, title, indexText(video.user), tagsText(video.tags, title));
};

const EMPTY = `insert into search (search) values ('delete-all')`;
const NOT_WAITING = `
  select 1 from video where not exists (select 1 from search_pending where video_key = video.key) limit 1`;

/** Puts the next waiting videos into the index, inside a transaction. @returns how many */
const putSome = (lake: Lake): number => {
  // where all wait, as after an upgrade: taking the words of each out takes three times as long
  if (statement(lake, NOT_WAITING).get() === undefined) statement(lake, EMPTY).run();
  const videos = prepared(lake, WAITING, WAITING_VIDEO).all(BATCH_ROWS);
  for (const video of videos)
    if (video.platform === null)
      statement(lake, 'delete from search where rowid = ?').run(video.key);
    else putIn(lake, video);
  const done = statement(lake, 'delete from search_pending where video_key <= ?');
  done.run(videos.at(-1)?.key ?? 0);
  return videos.length;
};

/** One transaction of `refreshSearch`. @returns how many videos; 0: none waits */
const refreshSome = (lake: Lake): number => {
  if (statement(lake, 'select 1 from search_pending limit 1').get() === undefined) return 0;
  return withoutSync(lake, () => lake.sqlite.transaction(() => putSome(lake)).immediate());
};

/** Videos that are many at once. */
const MANY_VIDEOS = 20_000;

/** True if indexing the waiting videos would take seconds. */
export const isSearchFarBehind = (lake: Lake): boolean =>
  statement(lake, 'select 1 from search_pending limit 1 offset ?').get(MANY_VIDEOS) !== undefined;

/**
 * Puts every video of `search_pending` into the search index, as it is now, and empties the list, some
 * thousand videos a transaction; inside a transaction all in that one. A search between two of them
 * reads what still waits. Does nothing when nothing is pending; safe to repeat.
 * @returns how many videos were put in or taken out
 */
export const refreshSearch = (lake: Lake): number => {
  let sum = 0;
  for (let some = refreshSome(lake); some > 0; some = refreshSome(lake)) sum += some;
  return sum;
};

/** `refreshSearch` after a large load: signals stop it between its transactions. */
export const refreshSearchInTurns = async (lake: Lake, signal?: AbortSignal): Promise<void> => {
  while (refreshSome(lake) > 0) {
    await setImmediate();
    signal?.throwIfAborted();
  }
};

const PAGES_A_MERGE = 500;

/**
 * Merges the whole index in short transactions, so that it no longer holds words of removed videos.
 * @throws the signal's reason when stopped
 */
export const compactSearch = async (lake: Lake, signal?: AbortSignal): Promise<void> => {
  const merge = statement(lake, `insert into search (search, rank) values ('merge', ?)`);
  const changes = prepared(lake, 'select total_changes()', 'number');
  merge.run(-PAGES_A_MERGE); // a negative number starts with all segments
  for (let before = changes.get() ?? 0; ; ) {
    merge.run(PAGES_A_MERGE);
    const after = changes.get() ?? 0;
    if (after - before < 2) return; // as SQLite documents the end of a merge
    before = after;
    await setImmediate();
    signal?.throwIfAborted();
  }
};

/** Builds the search index again from the tables, for `doctor`. */
export const rebuildSearch = (lake: Lake): number =>
  lake.sqlite
    .transaction(() => {
      statement(lake, EMPTY).run();
      lake.sqlite.exec('insert or ignore into search_pending select key from video');
      return refreshSearch(lake);
    })
    .immediate();
