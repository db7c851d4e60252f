import { setImmediate } from 'node:timers/promises';
import { withoutSync } from '../lake/durability.ts';
import type { Lake } from '../lake/open.ts';
import { prepared, statement } from '../lake/statements.ts';
import { BORDER, wordsOf } from './search-words.ts';

interface PendingVideo {
  readonly key: number;
  readonly platform: string | null; // null: the video is gone
  readonly title: string | null;
  readonly user: string | null;
  readonly tags: string | null;
}

const TAG_SEPARATOR = '\n';
const PENDING = `
  select p.video_key as key, v.platform, v.title, v.user,
    (select group_concat(h.tag, char(10)) from video_hashtag vh
      join hashtag h on h.key = vh.hashtag_key where vh.video_key = v.key) as tags
  from search_pending p left join video v on v.key = p.video_key
  order by p.video_key limit ?`;
/** Videos held in memory at once, and put in by one transaction: a tenth of a second. */
const BATCH_ROWS = 2000;

const indexText = (text: string | null): string => (text === null ? '' : wordsOf(text).join(' '));

/** The words of those tags that do not stand in the title already. */
const tagsText = (tags: string | null, titleText: string): string => {
  if (tags === null) return '';
  const within = ` ${titleText} `;
  return tags
    .split(TAG_SEPARATOR)
    .map(indexText)
    .filter((tag) => tag !== '' && !within.includes(` ${tag} `))
    .join(` ${BORDER} `);
};

/** Puts the next of those that wait into the index, in one transaction. @returns how many */
const putSome = (lake: Lake): number => {
  const put = statement(
    lake,
    'insert or replace into search (rowid, platform, title, user, tags) values (?, ?, ?, ?, ?)',
  );
  const remove = statement(lake, 'delete from search where rowid = ?');
  const done = statement(lake, 'delete from search_pending where video_key <= ?');
  const pending = prepared<PendingVideo>(lake, PENDING, {
    key: 'number',
    platform: 'text?',
    title: 'text?',
    user: 'text?',
    tags: 'text?',
  }).all(BATCH_ROWS);
  for (const { key, platform, title, user, tags } of pending) {
    if (platform === null) remove.run(key);
    else {
      const titleText = indexText(title);
      put.run(key, platform, titleText, indexText(user), tagsText(tags, titleText));
    }
  }
  done.run(pending.at(-1)?.key ?? -1);
  return pending.length;
};

const WAITS = 'select 1 from search_pending limit 1';

/** One transaction of `refreshSearch`. @returns how many videos; 0: none waits */
const refreshSome = (lake: Lake): number => {
  if (statement(lake, WAITS).get() === undefined) return 0;
  if (lake.sqlite.inTransaction) return putSome(lake);
  return withoutSync(lake, () => lake.sqlite.transaction(() => putSome(lake)).immediate());
};

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

/** `refreshSearch` after much was loaded: signals arrive between its transactions, and stop it. */
export const refreshSearchInTurns = async (lake: Lake, signal?: AbortSignal): Promise<void> => {
  while (refreshSome(lake) > 0) {
    await setImmediate();
    signal?.throwIfAborted();
  }
};

/** Makes the search index anew from the tables; for `doctor`, when `checkSearch` finds it wanting. */
export const rebuildSearch = (lake: Lake): number =>
  lake.sqlite
    .transaction(() => {
      lake.sqlite.exec(`insert into search (search) values ('delete-all')`);
      lake.sqlite.exec('insert or ignore into search_pending select key from video');
      return refreshSearch(lake);
    })
    .immediate();
