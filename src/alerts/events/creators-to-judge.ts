import type Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import { prepare } from '../../lake/prepare.ts';
import { SPELLINGS_OF_ONE } from '../../lake/read/spellings.ts';
import { YOUNG_MS } from './creator-viral.ts';
import type { Window } from './event.ts';
import type { Thresholds } from './thresholds.ts';
import { chunks } from './video-history.ts';

/** A creator as videos name it. */
export interface CreatorName {
  readonly platform: Platform;
  readonly user: string;
}

/** Lists whose top counts. Longer periods repeat what the day showed. */
export const TOP_LISTS = `((c.list = 'feed') or (c.list = 'trends' and c.period = 'day'))`;

/**
 * Creators of videos with snapshots inside `span` that may have passed a bar in it: they have the
 * views to be judged, are young enough, and were seen before.
 */
function* creatorsOf(
  sqlite: Database.Database,
  keys: readonly number[],
  span: Window,
  limits: Readonly<Record<Platform, Thresholds>>,
): Generator<CreatorName> {
  const read = prepare(
    sqlite,
    `select distinct v.platform, v.user from json_each(?) k cross join video v on v.key = k.value
     where v.user is not null and v.views >= json_extract(?, '$.' || v.platform)
       and (v.created_at is null or v.created_at > ?)
       and exists (select 1 from video_snapshot s where s.video_key = v.key limit 1 offset 1)`,
    { platform: 'platform', user: 'text' },
  );
  const floors = JSON.stringify(
    Object.fromEntries(Object.entries(limits).map(([name, its]) => [name, its.creator.minViews])),
  );
  for (const part of chunks(keys))
    yield* read.all(JSON.stringify(part), floors, span.from - YOUNG_MS);
}

/** Creators at the top of a list completed inside `span`. */
const creatorsAtTop = (
  sqlite: Database.Database,
  span: Window,
  topRank: (platform: Platform) => number,
): CreatorName[] => {
  const rows = prepare(
    sqlite,
    `select distinct v.platform, v.user, r.rank from capture c cross join ranking r on r.capture_key = c.key cross join video v on v.key = r.video_key
       where c.completed_at > ? and c.completed_at <= ? and ${TOP_LISTS} and r.rank <= 100 and v.user is not null`,
    { platform: 'platform', user: 'text', rank: 'number' },
  ).all(span.from, span.to);
  return rows.filter(({ platform, rank }) => rank <= topRank(platform));
};

/**
 * Names creators, each by the spelling of its video seen first where there are several, so that one
 * that comes later makes no second creator of it.
 */
const firstNamer = (sqlite: Database.Database): ((creator: CreatorName) => CreatorName) => {
  const spellings = prepare(
    sqlite,
    'select count(*) from handle_spelling where folded = ?',
    'number',
  );
  const firstName = prepare(
    sqlite,
    `select user from video where platform = ? and user in (${SPELLINGS_OF_ONE})
     order by first_seen_at, key limit 1`,
    'text',
  );
  return (creator) => {
    const folded = foldHandle(creator.user);
    if (spellings.get(folded) === 0) return creator;
    return { ...creator, user: firstName.get(creator.platform, folded) ?? creator.user };
  };
};

const nameOf = ({ platform, user }: CreatorName): string => `${platform} ${foldHandle(user)}`;

/** Every creator that may have gone viral inside `span`, once. */
export const creatorsToJudge = (
  sqlite: Database.Database,
  seenKeys: readonly number[],
  span: Window,
  limits: Readonly<Record<Platform, Thresholds>>,
): CreatorName[] => {
  const found = new Map<string, CreatorName>();
  const note = (creator: CreatorName): void => {
    const name = nameOf(creator);
    if (!found.has(name)) found.set(name, creator);
  };
  for (const creator of creatorsOf(sqlite, seenKeys, span, limits)) note(creator);
  for (const creator of creatorsAtTop(sqlite, span, (platform) => limits[platform].creator.topRank))
    note(creator);
  return [...found.values()].map(firstNamer(sqlite));
};
