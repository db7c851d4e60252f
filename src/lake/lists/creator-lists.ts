import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import type { Lake } from '../open.ts';
import { spellingsOf } from '../read/spellings.ts';
import { prepared } from '../statements.ts';
import type { Paging } from './list-page.ts';

/** A creator's newest count of followers and, where one was made, the one a week before. Instants in Unix ms. */
export interface CountedCreator {
  readonly platform: Platform;
  readonly handle: string;
  readonly followers: number;
  readonly observedAt: number;
  /** At least a week before, at most a fortnight; null: no count then. */
  readonly followersBefore: number | null;
  readonly observedBefore: number | null;
  readonly gainedPerDay: number | null;
  /** followers / followersBefore - 1; null where not known. */
  readonly change: number | null;
}

/** All creators, or those with a known change of followers; of one platform or all. */
export interface CreatorsQuery extends Paging {
  readonly list: 'rising' | 'largest';
  readonly platform?: Platform | undefined;
  readonly asOf: number; // Unix ms
}

/** SQL of the newest count of each creator, of those that `which` (SQL) selects. */
const newestCounts = (which = ''): string => `
  select creator_key, followers, max(observed_at) as at from creator_snapshot
  where ${which} followers is not null and observed_at <= @asOf group by creator_key`;

/** The definition of view `creators_rising`, as of an instant; `newest`: SQL of the newest counts. */
const counted = (join: 'left' | 'inner', newest: string): string => `
  select c.platform as platform, c.handle as handle, l.followers as followers, l.at as observedAt,
    b.followers as followersBefore, b.observed_at as observedBefore,
    (l.followers - b.followers) * ${DAY_MS}.0 / (l.at - b.observed_at) as gainedPerDay,
    l.followers * 1.0 / nullif(b.followers, 0) - 1 as change
  from (${newest}) l join creator c on c.key = l.creator_key
  ${join} join creator_snapshot b on b.creator_key = l.creator_key and b.observed_at = (
    select max(n.observed_at) from creator_snapshot n where n.creator_key = l.creator_key
      and n.followers is not null and n.observed_at <= l.at - ${7 * DAY_MS}
      and n.observed_at > l.at - ${14 * DAY_MS})`;

const ORDERS = {
  rising: 'change desc, gainedPerDay desc, platform, handle',
  largest: 'followers desc, platform, handle',
} as const;

const pageOf = (list: CreatorsQuery['list']): string =>
  `select *, count(*) over () as total from (${counted(list === 'rising' ? 'inner' : 'left', newestCounts())})
   where @platform is null or platform = @platform order by ${ORDERS[list]} limit @limit offset @offset`;

const PAGES = { rising: pageOf('rising'), largest: pageOf('largest') } as const;

const ROW = {
  platform: 'platform',
  handle: 'text',
  followers: 'number',
  observedAt: 'number',
  followersBefore: 'number?',
  observedBefore: 'number?',
  gainedPerDay: 'number?',
  change: 'number?',
} as const;

/**
 * Creators as of an instant: by the change of their followers over the week before the newest count (view
 * `creators_rising`: those without two counts a week apart are not in it), or by followers.
 */
export const creatorsPage = (
  lake: Lake,
  { list, platform, asOf, limit, page }: CreatorsQuery,
): { total: number; items: CountedCreator[] } => {
  const read = (offset: number, most: number) =>
    prepared(lake, PAGES[list], { ...ROW, total: 'number' }).all({
      asOf,
      offset,
      limit: most,
      platform: platform ?? null,
    });
  const rows = read((page - 1) * limit, limit);
  const total = rows[0]?.total ?? read(0, 1)[0]?.total ?? 0;
  return { total, items: rows.map(({ total: _, ...row }) => row) };
};

const OWN = counted('left', newestCounts('creator_key = @key and'));
const KEY = `select c.key from creator c where c.platform = @platform and c.first_seen_at <= @asOf
  and c.handle in (${spellingsOf('@folded')})
  order by c.handle = @handle desc, c.key limit 1`;

/** One creator's newest counts, as `creatorsPage` has them; undefined where followers were never counted. */
export const creatorRise = (
  lake: Lake,
  { platform, handle, asOf }: { platform: Platform; handle: string; asOf: number },
): CountedCreator | undefined => {
  const named = { platform, handle, folded: foldHandle(handle), asOf };
  const key = prepared(lake, KEY, 'number').get(named);
  if (key === undefined) return undefined;
  return prepared(lake, OWN, ROW).get({ key, asOf });
};
