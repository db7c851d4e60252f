import { gzipSync } from 'node:zlib';
import { dateOf } from '../../src/base/iso.ts';
import { foldName } from '../../src/base/wire/folding.ts';
import type { Lake } from '../../src/lake/open.ts';
import { wordsOf } from '../../src/lake/search/search-words.ts';
import { itemsOf, type MadePage } from './made-pages.ts';

/** A page with everything done that is not writing: parsed, times read, words cut, body packed. */
const readyPage = ({ id, body, at, line }: MadePage) => ({
  id,
  at,
  line,
  items: itemsOf({ body }).map((item) => ({
    ...item,
    createdAt: Date.parse(item.createdAt),
    tags: item.hashtags.map((name) => ({ name, folded: foldName(name) })),
    titleWords: wordsOf(item.title).join(' '),
    userWords: wordsOf(item.user).join(' '),
  })),
  packed: gzipSync(body, { level: 1 }),
});
type ReadyPage = ReturnType<typeof readyPage>;
type ReadyItem = ReadyPage['items'][number];

const statementsOf = ({ sqlite }: Lake) => ({
  capture: sqlite.prepare(
    "insert into capture (list, platform, period, captured_at, completed_at, total, run_id) values ('feed', 'tiktok', '24h', ?, ?, 10000, ?)",
  ),
  find: sqlite.prepare('select key from video where id = ?').pluck(),
  insert: sqlite.prepare(
    "insert into video (id, platform, title, user, views, likes, engagement_rate, created_at, first_seen_at) values (?, 'tiktok', ?, ?, ?, ?, ?, ?, ?)",
  ),
  update: sqlite.prepare(
    'update video set views = ?, likes = ?, engagement_rate = ? where key = ?',
  ),
  snapshot: sqlite.prepare(
    'insert into video_snapshot (video_key, observed_at, views, likes, rate_derived, source) values (?, ?, ?, ?, 1, 0)',
  ),
  rank: sqlite.prepare(
    'insert into ranking (capture_key, rank, video_key, score, velocity) values (?, ?, ?, ?, ?)',
  ),
  findTag: sqlite.prepare('select key from hashtag where folded = ?').pluck(),
  insertTag: sqlite.prepare('insert into hashtag (tag, folded, first_seen_at) values (?, ?, ?)'),
  link: sqlite.prepare(
    'insert into video_hashtag (video_key, hashtag_key, position) values (?, ?, ?) on conflict do nothing',
  ),
  search: sqlite.prepare(
    "insert into search (rowid, platform, title, user, tags) values (?, 'tiktok', ?, ?, '')",
  ),
  searched: sqlite.prepare('delete from search_pending'),
  touch: sqlite.prepare(
    'insert into touched_partitions (table_name, date, version) values (?, ?, 1) on conflict do update set version = version + 1',
  ),
  keepBody: sqlite.prepare(
    "insert into responses (call_id, content_type, observed_at, body) values (?, 'application/json', ?, ?)",
  ),
  settle: sqlite.prepare(
    'update calls set finished_at = ?, status = 200, rows_changed = ? where id = ?',
  ),
  done: sqlite.prepare(
    "update run_items set state = 'done', attempts = 1 where run_id = ? and job = 'feed' and request = ?",
  ),
});

/**
 * Loads pages by bare prepared statements that write what `loadResponse` writes, row for row. What it
 * leaves out: reading and checking, packing, cutting words, merging with what is known. Keys of
 * hashtags are remembered, as the product does.
 * @returns reads a page and gives what loads it, so that only the latter is timed
 */
export const bareLoader = (lake: Lake): ((page: MadePage) => () => void) => {
  const sql = statementsOf(lake);
  const tagKeys = new Map<string, number | bigint>();

  let newTags = 0;

  const tagKeyOf = ({ name, folded }: ReadyItem['tags'][number], at: number): number | bigint => {
    const known = tagKeys.get(folded) ?? (sql.findTag.get(folded) as number | undefined);
    if (known === undefined) newTags += 1;
    const key = known ?? sql.insertTag.run(name, folded, at).lastInsertRowid;
    tagKeys.set(folded, key);
    return key;
  };

  const load = ({ id, at, line, items, packed }: ReadyPage): void => {
    const capture = sql.capture.run(at, at, id).lastInsertRowid;
    const fresh: [number | bigint, ReadyItem][] = [];
    let changed = 3 * items.length;
    newTags = 0;
    items.forEach((item, position) => {
      const { title, user, views, likes, engagementRate, createdAt, score, velocity } = item;
      let key = sql.find.get(item.id) as number | bigint | undefined;
      if (key === undefined) {
        const row = [item.id, title, user, views, likes, engagementRate, createdAt, at];
        key = sql.insert.run(...row).lastInsertRowid;
        fresh.push([key, item]);
      } else sql.update.run(views, likes, engagementRate, key);
      sql.snapshot.run(key, at, views, likes);
      sql.rank.run(capture, position + 1, key, score, velocity);
      for (const [tagged, tag] of item.tags.entries())
        changed += sql.link.run(key, tagKeyOf(tag, at), tagged).changes;
    });
    for (const [key, { titleWords, userWords }] of fresh)
      sql.search.run(key, titleWords, userWords);
    sql.searched.run();
    const date = dateOf(at);
    sql.touch.run('videos', '');
    sql.touch.run('video_snapshots', date);
    sql.touch.run('rankings', date);
    sql.touch.run('video_hashtags', '');
    if (newTags > 0) sql.touch.run('hashtags', '');
    sql.keepBody.run(id, at, packed);
    sql.settle.run(at, changed + newTags, id);
    sql.done.run(id, line);
  };

  return (page) => {
    const ready = readyPage(page);
    return () => lake.sqlite.transaction(() => load(ready)).immediate();
  };
};
