import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import { hasWordsThen, wordThen } from '../read/as-of-sql.ts';
import { prepared } from '../statements.ts';
import { latestPulled, type PulledList } from './pulled-list.ts';

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

/** Videos of two pulls, with rank and words at each: in the order of the later one, then of the other. */
const MOVES = `
  select v.id, ${wordThen('title')} as title, ${wordThen('user')} as user, ranked.rank, previousRank,
    ${wordThen('title', 'o')} as previousTitle, ${wordThen('user', 'o')} as previousUser
  from (
    select video_key, min(case when capture_key = @end then rank end) as rank,
      min(case when capture_key = @start then rank end) as previousRank
    from ranking where capture_key in (@start, @end) group by video_key) ranked
  cross join video v on v.key = ranked.video_key
  left join video_revision r on ${hasWordsThen('r', '@endAt')}
  left join video_revision o on ${hasWordsThen('o', '@startAt')}
  order by ranked.rank is null, ranked.rank, previousRank`;

const MOVE = {
  id: 'text',
  title: 'text?',
  user: 'text?',
  rank: 'number?',
  previousRank: 'number?',
  previousTitle: 'text?',
  previousUser: 'text?',
} as const;

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

const diffOf = (lake: Lake, name: ListName, query: DiffQuery): ListDiff | undefined => {
  const start = startOf(lake, name, query);
  const end = latestPulled(lake, name, query.to);
  if (start === undefined || end === undefined) return undefined;
  const videos = prepared(lake, MOVES, MOVE).all({
    start: start.key,
    startAt: start.completedAt,
    end: end.key,
    endAt: end.completedAt,
  });
  const moved = videos.map(({ previousTitle: _, previousUser: __, ...move }) => move);
  const renamed = videos
    .filter((video) => video.title !== video.previousTitle || video.user !== video.previousUser)
    .map(({ rank: _, previousRank: __, ...video }) => video);
  const stayed = moved.filter(({ rank, previousRank }) => rank !== null && previousRank !== null);
  return {
    ...name,
    fromAt: start.completedAt,
    toAt: end.completedAt,
    entered: moved.filter(({ previousRank }) => previousRank === null),
    left: moved.filter(({ rank }) => rank === null),
    climbed: stayed.filter((video) => climb(video) > 0).sort((a, b) => climb(b) - climb(a)),
    fell: stayed.filter((video) => climb(video) < 0).sort((a, b) => climb(a) - climb(b)),
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
