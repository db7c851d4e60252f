import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { foldName } from '../../base/wire/folding.ts';
import { titleHashtags } from '../../base/wire/title-hashtags.ts';
import type { HashtagObservation } from '../../ingest/responses/hashtag-list.ts';
import { LAST_SNAPSHOT_MS } from './snapshots.ts';
import type { World } from './world.ts';
import { titleAt, type WorldVideo, worldViewsAt } from './world-video.ts';

/** Windows of the world's lists of hashtags, as the interface writes them. */
export const TAG_WINDOWS = { '30d': 30 * DAY_MS, '7d': 7 * DAY_MS, '24h': DAY_MS } as const;
export type TagWindow = keyof typeof TAG_WINDOWS;

/** Depth of the lists. */
const LISTED_TAGS = 500;

/** The tags of a video by their folded names, each as it wrote it first. */
const tagsOf = (video: WorldVideo, at: number): Map<string, string> => {
  const titles = new Set(
    video.snapshots
      .filter((snapshot) => snapshot <= at)
      .map((snapshot) => titleAt(video, snapshot)),
  );
  const written = video.hashtags ?? [...titles].flatMap((title) => titleHashtags(title ?? ''));
  const tags = new Map<string, string>();
  for (const tag of written) if (!tags.has(foldName(tag))) tags.set(foldName(tag), tag);
  return tags;
};

interface Figures {
  readonly tag: string;
  before: number;
  readonly volumes: number[]; // by platform
  readonly views: number[]; // by platform
}

const itemOf = ({ tag, before, volumes, views }: Figures, rank: number): HashtagObservation => {
  const sum = (numbers: readonly number[]): number =>
    numbers.reduce((all, value) => all + value, 0);
  const volume = sum(volumes);
  return {
    tag,
    rank,
    volume,
    views: sum(views),
    change: before === 0 ? null : volume / before - 1,
    platforms: PLATFORMS.flatMap((platform, index) => {
      const [its, seen] = [volumes[index] ?? 0, views[index] ?? 0];
      return its === 0 ? [] : [{ platform, volume: its, views: seen }];
    }),
    sampled: false,
    extra: null,
  };
};

/**
 * The world's own list of hashtags at an instant: by the distinct videos with a tag that were there to
 * be seen inside the window, with their views and the change against the equal window before. All
 * videos count, whoever has seen them; at most 500 tags.
 */
export const hashtagsOfWorld = (
  world: World,
  at: number,
  window: TagWindow,
): HashtagObservation[] => {
  const windowMs = TAG_WINDOWS[window];
  const byName = new Map<string, Figures>();
  const figuresOf = (name: string, tag: string): Figures => {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const none = PLATFORMS.map(() => 0);
    const added = { tag, before: 0, volumes: [...none], views: [...none] };
    byName.set(name, added);
    return added;
  };
  for (const video of world.videos({ fromAt: at - 2 * windowMs - LAST_SNAPSHOT_MS, toAt: at })) {
    const last = video.snapshots.findLast((snapshot) => snapshot <= at);
    const wasSeen = video.snapshots.some(
      (snapshot) => snapshot > at - 2 * windowMs && snapshot <= at - windowMs,
    );
    const isSeen = last !== undefined && last > at - windowMs;
    if (!isSeen && !wasSeen) continue;
    const platform = PLATFORMS.indexOf(video.platform);
    const views = isSeen ? worldViewsAt(video, last) : 0;
    for (const [name, tag] of tagsOf(video, at)) {
      const figures = figuresOf(name, tag);
      if (wasSeen) figures.before += 1;
      if (!isSeen) continue;
      figures.volumes[platform] = (figures.volumes[platform] ?? 0) + 1;
      figures.views[platform] = (figures.views[platform] ?? 0) + views;
    }
  }
  return [...byName.values()]
    .map((figures) => itemOf(figures, 0))
    .filter(({ volume }) => (volume ?? 0) > 0)
    .sort(
      (a, b) =>
        (b.volume ?? 0) - (a.volume ?? 0) ||
        (b.views ?? 0) - (a.views ?? 0) ||
        (a.tag < b.tag ? -1 : 1),
    )
    .slice(0, LISTED_TAGS)
    .map((item, index) => ({ ...item, rank: index + 1 }));
};
