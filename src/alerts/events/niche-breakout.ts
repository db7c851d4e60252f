import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import { episodes, type Finding, toThousandths, type Window } from './event.ts';
import type { NicheEvidence } from './evidence.ts';
import type { NicheThresholds } from './thresholds.ts';

const PAST_MS = 14 * DAY_MS;
/** Captures this close to the judged one do not count as its past. */
const RECENT_MS = 12 * HOUR_MS;
/** A list with fewer captures in its past is not judged. */
export const NICHE_MIN_PAST = 5;
const MIN_LISTED = 30;
const QUIET_MS = 7 * DAY_MS;
/** Tags on a larger share of a list are generic (`fyp`). */
const GENERIC_SHARE = 0.25;
const MIN_TOGETHER = 3;
const MIN_OVERLAP = 0.5;
const SHARE_DAMPING = 0.01;
const TAGS_NAMED = 8;

/** Read before a span, with an extra day so that thinning starts outside of it. */
export const NICHE_LOOKBACK_MS = PAST_MS + QUIET_MS + DAY_MS;

export interface NicheVideo {
  readonly id: string;
  readonly user: string | null;
  readonly tags: readonly string[]; // folded: lower case, one form
}

/** One capture of one list of a platform. */
export interface ListCapture {
  readonly list: string; // `feed 24h`, `trends day`
  readonly at: number; // Unix ms
  readonly videos: readonly NicheVideo[];
}

/** A finding about the niche these tags make; `id` is its two most frequent ones. */
export interface NicheFinding extends Finding {
  readonly id: string;
  readonly tags: ReadonlySet<string>;
}

const byFrequency = (counts: ReadonlyMap<string, ReadonlySet<string>>) => (a: string, b: string) =>
  (counts.get(b)?.size ?? 0) - (counts.get(a)?.size ?? 0) || (a < b ? -1 : 1);

/** Videos by tag, generic and rare tags left out. */
const carriersOf = (videos: readonly NicheVideo[]): Map<string, Set<string>> => {
  const carriers = new Map<string, Set<string>>();
  for (const { id, tags } of videos)
    for (const tag of tags) {
      const users = carriers.get(tag) ?? new Set();
      carriers.set(tag, users.add(id));
    }
  for (const [tag, its] of carriers)
    if (its.size < MIN_TOGETHER || its.size > videos.length * GENERIC_SHARE) carriers.delete(tag);
  return carriers;
};

/** Groups of tags that occur together: joined where half of the rarer one's videos carry both. */
const clustersOf = (carriers: ReadonlyMap<string, ReadonlySet<string>>): string[][] => {
  const left = new Set([...carriers.keys()].sort(byFrequency(carriers)));
  const joined = (a: string, b: string): boolean => {
    const [one, two] = [carriers.get(a), carriers.get(b)] as [Set<string>, Set<string>];
    const together = [...one].filter((id) => two.has(id)).length;
    return together >= MIN_TOGETHER && together >= MIN_OVERLAP * Math.min(one.size, two.size);
  };
  const clusters: string[][] = [];
  for (const seed of left) {
    left.delete(seed);
    const cluster = [seed];
    for (const member of cluster)
      for (const other of left)
        if (joined(member, other)) {
          left.delete(other);
          cluster.push(other);
        }
    if (cluster.length > 1) clusters.push(cluster);
  }
  return clusters;
};

const membersOf = (capture: ListCapture, niche: ReadonlySet<string>): NicheVideo[] =>
  capture.videos.filter(({ tags }) => tags.filter((tag) => niche.has(tag)).length > 1);

const shareOf = (capture: ListCapture, niche: ReadonlySet<string>): number =>
  membersOf(capture, niche).length / capture.videos.length;

const judge = (
  capture: ListCapture,
  past: readonly ListCapture[],
  cluster: readonly string[],
  limits: NicheThresholds,
): NicheFinding | undefined => {
  const tags = new Set(cluster);
  const videos = membersOf(capture, tags);
  const byCreator = Map.groupBy(videos, ({ user, id }) =>
    user === null ? `of ${id}` : foldHandle(user),
  );
  const most = Math.max(0, ...[...byCreator.values()].map((videos) => videos.length));
  if (videos.length < limits.minVideos || byCreator.size < limits.minCreators) return undefined;
  if (most > videos.length / 2) return undefined;
  const share = videos.length / capture.videos.length;
  const shares = past.map((capture) => shareOf(capture, tags));
  const usual = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const ratio = (share + SHARE_DAMPING) / (usual + SHARE_DAMPING);
  if (share < limits.minShare || ratio < limits.minRatio || share <= Math.max(...shares))
    return undefined;
  return {
    id: cluster.slice(0, 2).sort().join('+'),
    tags,
    window: { from: (past[0] as ListCapture).at, to: capture.at },
    evidence: {
      list: capture.list,
      tags: cluster.slice(0, TAGS_NAMED),
      videos: videos.length,
      creators: byCreator.size,
      share: toThousandths(share),
      usualShare: toThousandths(usual),
      ratio: toThousandths(ratio),
      listed: capture.videos.length,
      snapshots: past.length + 1,
    } satisfies NicheEvidence,
  };
};

/**
 * `niche.breakout`: a cluster of hashtags that occur together grows its share of a platform's lists
 * over several creators and videos, not one.
 *
 * In one capture of a list (30 videos or more), tags on at least 3 of its videos and at most a quarter
 * of them are joined where 3 videos, and half of those of the rarer tag, carry both; each connected
 * group is a niche, and a video with two of its tags belongs to it. `share` = its videos / listed
 * videos. It breaks out when share, videos and creators reach the thresholds, no creator has more
 * than half of the videos, the share is above every one of the captures of the same list of 12 h to 14
 * days before (at least 5), and (share + 0.01) / (their mean + 0.01) reaches `minRatio`. After that
 * 7 days must pass in which no niche that shares a tag with it broke out.
 *
 * @param captures of one platform, from NICHE_LOOKBACK_MS before `span`
 */
export const nicheBreakouts = (
  captures: readonly ListCapture[],
  span: Window,
  limits: NicheThresholds,
): NicheFinding[] => {
  const usable = captures
    .filter(({ videos }) => videos.length >= MIN_LISTED)
    .sort((a, b) => a.at - b.at || (a.list < b.list ? -1 : 1));
  const findings = usable.flatMap((capture) => {
    if (capture.at <= span.from - QUIET_MS) return [];
    const past = usable.filter(
      ({ list, at }) =>
        list === capture.list && at >= capture.at - PAST_MS && at <= capture.at - RECENT_MS,
    );
    if (past.length < NICHE_MIN_PAST) return [];
    return clustersOf(carriersOf(capture.videos)).flatMap(
      (cluster) => judge(capture, past, cluster, limits) ?? [],
    );
  });
  return episodes(findings, span, QUIET_MS, (a, b) => [...a.tags].some((tag) => b.tags.has(tag)));
};
