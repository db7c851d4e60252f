import { foldHandle, foldName } from '../../base/wire/folding.ts';
import type { Lake } from '../open.ts';
import { prepared } from '../statements.ts';
import { foldTag } from './watches.ts';

/** Tags of all watches, in order. */
export const watchTagNames = (lake: Lake): string[] =>
  prepared(lake, 'select distinct tag from watch_tags order by tag', 'text').all();

const VIDEOS = 'select video_id from tagged_videos where tag = ?';

const WATCHED = `select w.platform || ' ' || w.subject from watches w
  join watch_tags t on t.watch_id = w.id where w.kind = 'creator' and t.tag = ?`;

const HASHTAGS = `
  select w.subject from watches w join watch_tags t on t.watch_id = w.id
    where w.kind = 'hashtag' and t.tag = @tag
  union select h.folded from tagged_videos v join video o on o.id = v.video_id
    join video_hashtag vh on vh.video_key = o.key join hashtag h on h.key = vh.hashtag_key
    where v.tag = @tag`;

/** Returns a function that is true for videos that the tag's watches cover. */
export const videosOfTag = (
  lake: Lake,
  tag: string,
): ((video: { readonly id: string }) => boolean) => {
  const ids = new Set(prepared(lake, VIDEOS, 'text').all(foldTag(tag)));
  return ({ id }) => ids.has(id);
};

/** Returns a function that is true for creators that the tag's watches follow. */
export const creatorsOfTag = (
  lake: Lake,
  tag: string,
): ((creator: { readonly platform: string; readonly handle: string }) => boolean) => {
  const names = new Set(prepared(lake, WATCHED, 'text').all(foldTag(tag)));
  return ({ platform, handle }) => names.has(`${platform} ${foldHandle(handle)}`);
};

/** Returns a function that is true for hashtags that the tag's watches follow or its videos carry. */
export const hashtagsOfTag = (
  lake: Lake,
  tag: string,
): ((hashtag: { readonly tag: string }) => boolean) => {
  const tags = new Set(prepared(lake, HASHTAGS, 'text').all({ tag: foldTag(tag) }));
  return (hashtag) => tags.has(foldName(hashtag.tag));
};
