import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import { required } from '../prepare.ts';
import { WORDS_THEN, wordThen } from '../read/as-of-sql.ts';
import { prepared } from '../statements.ts';
import { deepestRank, latestPulled, type PulledList, pulledEntries } from './pulled-list.ts';

/** A video that moved in a list. */
export interface RankedMove {
  readonly id: string;
  readonly title: string | null;
  readonly user: string | null;
  /** Rank at the end, 1 = top; null: it left the list. */
  readonly rank: number | null;
  /** Rank at the start; null: it entered the list. */
  readonly previousRank: number | null;
}

/** A video whose title or handle changed. */
export interface RenamedVideo {
  readonly id: string;
  readonly title: string | null;
  readonly user: string | null;
  readonly previousTitle: string | null;
  readonly previousUser: string | null;
}

/** Changes of one list between two pulls. Instants are Unix ms. */
export interface ListDiff {
  readonly list: 'feed' | 'trends' | 'import';
  readonly platform: Platform;
  readonly period: string;
  /** Pull at or before the start, or the first one after it. */
  readonly fromAt: number;
  /** Pull at or before the end. */
  readonly toAt: number;
  readonly entered: readonly RankedMove[];
  readonly left: readonly RankedMove[];
  /** Most places first. */
  readonly climbed: readonly RankedMove[];
  readonly fell: readonly RankedMove[];
  readonly unchanged: number;
  /** Videos of either pull with a new title or handle. */
  readonly renamed: readonly RenamedVideo[];
}

/** Two instants (Unix ms), and the lists to compare. */
export interface DiffQuery {
  readonly from: number;
  readonly to: number;
  /** `feed`, or a period of trends; all lists without it. */
  readonly list?: string | undefined;
  readonly platform?: Platform | undefined;
}

const LISTS = `
  select distinct list, platform, period from capture
  where list in ('feed', 'trends', 'import') and completed_at is not null and captured_at <= @to
    and (@platform is null or platform = @platform)
    and (@list is null or list = @list or list = 'trends' and period = @list)
  order by list, platform, period`;

const FIRST_AFTER = `
  select min(completed_at) from capture
  where list = @list and platform = @platform and period = @period and captured_at > @from`;

const WORDS = `
  select v.id, ${wordThen('title')} as title, ${wordThen('user')} as user
  from video v left join video_revision r on ${WORDS_THEN} where v.key = @key`;

const wordsAt = (lake: Lake, key: number, asOf: number) =>
  required(prepared(lake, WORDS, { id: 'text', title: 'text?', user: 'text?' }).get({ key, asOf }));

/** Ranks by video key, best first. */
const ranksOf = (lake: Lake, pull: PulledList): Map<number, number> => {
  const ranks = new Map<number, number>();
  for (const { key, rank } of pulledEntries(lake, pull.key, 0, deepestRank(lake, pull.key)))
    if (rank !== null && !ranks.has(key)) ranks.set(key, rank);
  return ranks;
};

type ListName = Pick<ListDiff, 'list' | 'platform' | 'period'>;

/** The pull that the list had at the start, or its first one after it. */
const startOf = (lake: Lake, name: ListName, { from, to }: DiffQuery): PulledList | undefined => {
  const pull = latestPulled(lake, name, from);
  if (pull !== undefined) return pull;
  const firstAt = prepared(lake, FIRST_AFTER, 'number?').get({ ...name, from });
  return firstAt === null || firstAt === undefined || firstAt > to
    ? undefined
    : latestPulled(lake, name, firstAt);
};

const climb = ({ rank, previousRank }: RankedMove): number => (previousRank ?? 0) - (rank ?? 0);
const byRank = (a: RankedMove, b: RankedMove): number =>
  (a.rank ?? a.previousRank ?? 0) - (b.rank ?? b.previousRank ?? 0);

const diffOf = (lake: Lake, name: ListName, query: DiffQuery): ListDiff | undefined => {
  const start = startOf(lake, name, query);
  const end = latestPulled(lake, name, query.to);
  if (start === undefined || end === undefined) return undefined;
  const [before, after] = [ranksOf(lake, start), ranksOf(lake, end)];
  const keys = new Set([...after.keys(), ...before.keys()]);
  const moved: RankedMove[] = [];
  const renamed: RenamedVideo[] = [];
  for (const key of keys) {
    const words = wordsAt(lake, key, end.completedAt);
    const { title, user } = wordsAt(lake, key, start.completedAt);
    if (title !== words.title || user !== words.user)
      renamed.push({ ...words, previousTitle: title, previousUser: user });
    moved.push({
      ...words,
      rank: after.get(key) ?? null,
      previousRank: before.get(key) ?? null,
    });
  }
  const stayed = moved.filter(({ rank, previousRank }) => rank !== null && previousRank !== null);
  return {
    ...name,
    fromAt: start.completedAt,
    toAt: end.completedAt,
    entered: moved.filter(({ previousRank }) => previousRank === null).sort(byRank),
    left: moved.filter(({ rank }) => rank === null).sort(byRank),
    climbed: stayed
      .filter((video) => climb(video) > 0)
      .sort((a, b) => climb(b) - climb(a) || byRank(a, b)),
    fell: stayed
      .filter((video) => climb(video) < 0)
      .sort((a, b) => climb(a) - climb(b) || byRank(a, b)),
    unchanged: stayed.filter((video) => climb(video) === 0).length,
    renamed,
  };
};

/**
 * Compares pulled lists at two instants. A list that was not pulled yet at the start is compared from
 * its first pull on; one without any pull by the end is left out.
 */
export const diffLists = (lake: Lake, query: DiffQuery): ListDiff[] =>
  prepared<ListName>(lake, LISTS, { list: 'text', platform: 'text', period: 'text' })
    .all({ to: query.to, platform: query.platform ?? null, list: query.list ?? null })
    .flatMap((name) => diffOf(lake, name, query) ?? []);

/** A change of a list as one row. */
export interface ListChange extends RankedMove {
  readonly list: ListDiff['list'];
  readonly platform: Platform;
  readonly period: string;
  readonly change: (typeof LIST_CHANGES)[number];
  readonly previousTitle: string | null;
  readonly previousUser: string | null;
}

const GROUPS = ['entered', 'left', 'climbed', 'fell'] as const;
export const LIST_CHANGES = [...GROUPS, 'renamed'] as const;

/** All changes of the lists, list by list. */
export const listChanges = (diffs: readonly ListDiff[]): ListChange[] =>
  diffs.flatMap(({ list, platform, period, renamed, ...diff }) => {
    const of = { list, platform, period, previousTitle: null, previousUser: null };
    return [
      ...GROUPS.flatMap((change) => diff[change].map((move) => ({ ...of, ...move, change }))),
      ...renamed.map((video) => ({
        ...of,
        ...video,
        change: 'renamed' as const,
        rank: null,
        previousRank: null,
      })),
    ];
  });
