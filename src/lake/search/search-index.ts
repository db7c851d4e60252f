import { setImmediate } from 'node:timers/promises';
import { Thread, type ThreadOptions } from '../../base/thread.ts';
import { workerFile } from '../../base/worker-file.ts';
import { withoutSync } from '../durability.ts';
import type { Lake } from '../open.ts';
import { prepared, statement } from '../statements.ts';
import { type IndexedWords, indexedWords, type SearchedTexts } from './index-words.ts';

/** A video that waits, with what is searched of it. */
interface WaitingVideo extends SearchedTexts {
  readonly key: number;
  readonly platform: string | null; // null: the video is gone
}

const WAITING = `
  select p.video_key as key, v.platform, v.title, v.user,
    (select group_concat(h.tag, char(10)) from video_hashtag vh
      join hashtag h on h.key = vh.hashtag_key where vh.video_key = v.key) as tags
  from search_pending p left join video v on v.key = p.video_key
  where p.video_key > ? order by p.video_key limit ?`;
/** Videos held in memory at once, and put in by one transaction: a tenth of a second. */
const BATCH_ROWS = 5000;
const BEFORE_ALL = -1;

/** The next of those that wait, by key. */
const waitingAfter = (lake: Lake, after: number): WaitingVideo[] =>
  prepared(lake, WAITING, {
    key: 'number',
    platform: 'text?',
    title: 'text?',
    user: 'text?',
    tags: 'text?',
  }).all(after, BATCH_ROWS);

/** Puts the first of those that wait into the index, with their words. Inside a transaction. */
const put = (lake: Lake, first: readonly WaitingVideo[], words: readonly IndexedWords[]): void => {
  const insert = statement(
    lake,
    'insert or replace into search (rowid, platform, title, user, tags) values (?, ?, ?, ?, ?)',
  );
  const remove = statement(lake, 'delete from search where rowid = ?');
  for (const [index, { key, platform }] of first.entries()) {
    const indexed = words[index];
    if (platform === null || indexed === undefined) remove.run(key);
    else insert.run(key, platform, indexed.title, indexed.user, indexed.tags);
  }
  const done = statement(lake, 'delete from search_pending where video_key <= ?');
  done.run(first.at(-1)?.key ?? BEFORE_ALL);
};

/** Puts the next of those that wait into the index, in one transaction. @returns how many */
const putSome = (lake: Lake): number => {
  const first = waitingAfter(lake, BEFORE_ALL);
  put(lake, first, first.map(indexedWords));
  return first.length;
};

const WAITS = 'select 1 from search_pending limit 1';

/** One transaction of `refreshSearch`. @returns how many videos; 0: none waits */
const refreshSome = (lake: Lake): number => {
  if (statement(lake, WAITS).get() === undefined) return 0;
  if (lake.sqlite.inTransaction) return putSome(lake);
  return withoutSync(lake, () => lake.sqlite.transaction(() => putSome(lake)).immediate());
};

/** Videos that are many at once: a thread that cuts their words is worth its start. */
const MANY_VIDEOS = 20_000;

const waitsMany = (lake: Lake, videos: number): boolean =>
  statement(lake, 'select 1 from search_pending limit 1 offset ?').get(videos) !== undefined;

/** True if indexing the waiting videos would take seconds. */
export const isSearchFarBehind = (lake: Lake): boolean => waitsMany(lake, MANY_VIDEOS);

const NOT_WAITING = `
  select 1 from video where not exists (select 1 from search_pending where video_key = video.key) limit 1`;

/**
 * Empties the index where many and all videos wait, as after an upgrade that cuts words otherwise:
 * taking the words of each out singly takes three times as long as putting all in.
 */
const dropIfAllWait = (lake: Lake, many = MANY_VIDEOS): void => {
  if (!waitsMany(lake, many)) return;
  const drop = (): void => {
    if (statement(lake, NOT_WAITING).get() !== undefined) return;
    lake.sqlite.exec(`insert into search (search) values ('delete-all')`);
  };
  if (lake.sqlite.inTransaction) drop();
  else lake.sqlite.transaction(drop).immediate();
};

/**
 * Puts every video of `search_pending` into the search index, as it is now, and empties the list, some
 * thousand videos a transaction; inside a transaction all in that one. A search between two of them
 * reads what still waits. Does nothing when nothing is pending; safe to repeat.
 * @returns how many videos were put in or taken out
 */
export const refreshSearch = (lake: Lake): number => {
  dropIfAllWait(lake);
  let sum = 0;
  for (let some = refreshSome(lake); some > 0; some = refreshSome(lake)) sum += some;
  return sum;
};

/** Changes whenever another connection commits. */
const versionOf = ({ sqlite }: Lake): unknown => sqlite.pragma('data_version', { simple: true });

const WORDS_THREAD: ThreadOptions = {
  file: workerFile(import.meta.url, 'words-worker'),
  name: 'search words',
  limits: { maxYoungGenerationSizeMb: 4 },
};

/** `refreshSearch` with a thread that splits the words of the next videos while these are put in. */
const refreshWithThread = async (lake: Lake, signal?: AbortSignal): Promise<void> => {
  const thread = new Thread<readonly SearchedTexts[], readonly IndexedWords[]>(WORDS_THREAD);
  const readBatch = (after: number) => {
    const version = versionOf(lake);
    const videos = waitingAfter(lake, after);
    const words = thread.request(videos);
    words.catch(() => {}); // not awaited when the refresh stops before
    return { version, videos, words };
  };
  try {
    let batch = readBatch(BEFORE_ALL);
    for (let last = batch.videos.at(-1)?.key; last !== undefined; ) {
      const { version, videos } = batch;
      const words = await batch.words;
      signal?.throwIfAborted();
      const following = readBatch(last);
      const putIn = lake.sqlite.transaction((): boolean => {
        if (versionOf(lake) !== version) return false; // another process wrote since these were read
        put(lake, videos, words);
        return true;
      });
      if (!withoutSync(lake, () => putIn.immediate())) return;
      batch = following;
      last = batch.videos.at(-1)?.key;
    }
  } finally {
    await thread.close();
  }
};

/**
 * `refreshSearch` after a large load: signals stop it between its transactions.
 * @param threadFrom number of videos from which a thread cuts the words
 */
export const refreshSearchInTurns = async (
  lake: Lake,
  signal?: AbortSignal,
  threadFrom = MANY_VIDEOS,
): Promise<void> => {
  dropIfAllWait(lake, threadFrom);
  if (waitsMany(lake, threadFrom)) await refreshWithThread(lake, signal);
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
      lake.sqlite.exec(`insert into search (search) values ('delete-all')`);
      lake.sqlite.exec('insert or ignore into search_pending select key from video');
      return refreshSearch(lake);
    })
    .immediate();
