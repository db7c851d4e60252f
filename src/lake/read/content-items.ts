import { isoOf } from '../../base/iso.ts';
import { engagementRate } from '../../base/wire/engagement-rate.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import type { Lake } from '../open.ts';
import type { RowOf } from '../prepare.ts';
import { prepared } from '../statements.ts';
import { type Count, lastKnown, TAGS_THEN, WORDS_THEN, wordThen } from './as-of-sql.ts';

/** Place of a video in the list of an item. */
export interface ListEntry {
  readonly key: number; // video.key
  readonly rank: number | null;
  readonly score: number | null;
  readonly velocity: number | null; // views per hour
}

const ITEM_ROW = {
  id: 'text',
  platform: 'platform',
  title: 'text?',
  user: 'text?',
  views: 'number?',
  likes: 'number?',
  rate: 'number?',
  derived: 'number?', // 1: the rate is to be computed from the counts
  created_at: 'number?',
  extra: 'text?',
  former: 'text?', // JSON array of `extra_revision.fields`, the latest first
  hashtags: 'text', // JSON array
} as const;
type ItemRow = RowOf<typeof ITEM_ROW>;

/** A count as the last snapshot has it, else as last known before unless @isSeen. */
const countThen = (count: Count): string =>
  `coalesce(s.${count}, iif(@isSeen, null, ${lastKnown(count, { video: 'v.key', at: '@asOf' })}))`;

/** Changes of further fields after @asOf, the latest first. */
const FORMER_FIELDS = `(select json_group_array(json(e.fields) order by e.until_at desc)
  from extra_revision e where e.video_key = v.key and e.until_at > @asOf having count(*) > 0)`;

const ITEMS = `
  select v.id, v.platform, ${wordThen('title')} as title, ${wordThen('user')} as user,
    ${countThen('views')} as views, ${countThen('likes')} as likes, s.engagement_rate as rate, s.rate_derived as derived,
    v.created_at, v.extra, ${FORMER_FIELDS} as former,
    ${TAGS_THEN} as hashtags
  from json_each(@keys) k cross join video v on v.key = k.value
  left join video_revision r on ${WORDS_THEN}
  left join video_snapshot s on s.video_key = v.key and s.observed_at =
    (select max(n.observed_at) from video_snapshot n where n.video_key = v.key and n.observed_at <= @asOf)
  order by k.key`;

/** The rate as pulled; where none was, or it is derived, that of the counts beside it. */
export const shownRate = (row: {
  readonly views: number | null;
  readonly likes: number | null;
  readonly rate: number | null;
  readonly derived: number | null;
}): number | null => (row.derived === 1 ? null : row.rate) ?? engagementRate(row);

const shownOf = (row: ItemRow) => ({
  id: row.id,
  platform: row.platform,
  title: row.title,
  user: row.user,
  views: row.views,
  likes: row.likes,
  engagementRate: shownRate(row),
  createdAt: row.created_at === null ? null : isoOf(row.created_at),
});

/** The further fields as of the instant: the latest ones, with what changed since put back. */
export const extraThen = ({ extra, former }: Pick<ItemRow, 'extra' | 'former'>): string | null => {
  if (former === null) return extra;
  const fields = new Map(Object.entries(JSON.parse(extra ?? '{}') as Record<string, unknown>));
  for (const change of JSON.parse(former) as Record<string, unknown[]>[])
    for (const [name, was] of Object.entries(change))
      if (was.length === 0) fields.delete(name);
      else fields.set(name, was[0]);
  return fields.size === 0 ? null : JSON.stringify(Object.fromEntries(fields));
};

const itemOf = (row: ItemRow, { rank, score, velocity }: ListEntry): ContentItem => {
  const hashtags = JSON.parse(row.hashtags) as string[];
  const item = { ...shownOf(row), hashtags, rank, score, velocity };
  const extra = extraThen(row);
  // twice: the shown fields come first, and no further field of the same name overrides one
  return extra === null ? item : { ...item, ...JSON.parse(extra), ...item };
};

/**
 * The content items of `entries`, in their order, with titles, handles and counts as of `asOf`.
 * `counts`: `known` carries the newest known count forward, `seen` gives what the last snapshot had.
 */
export const contentItems = (
  lake: Lake,
  entries: readonly ListEntry[],
  asOf: number,
  counts: 'known' | 'seen' = 'known',
): ContentItem[] =>
  prepared(lake, ITEMS, ITEM_ROW)
    .all({
      keys: JSON.stringify(entries.map((entry) => entry.key)),
      asOf,
      isSeen: counts === 'seen' ? 1 : 0,
    })
    .map((row, index) => itemOf(row, entries[index] as ListEntry));
