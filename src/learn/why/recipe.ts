import type { Recipe } from '../../base/wire/analysis-shapes.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { bestWindows } from './posting-windows.ts';
import {
  ascending,
  countText,
  percent,
  quantile,
  SMALL_GROUP,
  shareInterval,
} from './statistics.ts';
import { type Feature, TITLE_FEATURES, titleLength } from './title-features.ts';
import { contrast, type RankedVideo } from './top-decile.ts';

/** A hashtag of the niche: how many of its videos are in the top tenth, and how many are not. */
export interface NicheTag {
  readonly tag: string;
  readonly top: number;
  readonly rest: number;
}

interface Advice {
  readonly advice: string;
  readonly low: number;
}

/** What sets the top tenth apart, surest first: properties to have and properties to avoid. */
const standsOut = (videos: readonly RankedVideo[], part: Feature['part']): Advice[] =>
  TITLE_FEATURES.filter((feature) => feature.part === part)
    .flatMap((feature) => {
      const { low, high, withIt, without } = contrast(videos, feature.of);
      const isFor = low > 0;
      if ((!isFor && high >= 0) || withIt.trials < SMALL_GROUP) return [];
      const shares = `${percent(withIt.successes / withIt.trials)} of ${countText(withIt.trials)} with it reach the top tenth, ${percent(without.successes / without.trials)} of ${countText(without.trials)} without`;
      return [
        {
          advice: `${isFor ? feature.advice : `do not ${feature.advice}`} (${shares})`,
          low: isFor ? low : -high,
        },
      ];
    })
    .sort((a, b) => b.low - a.low)
    .slice(0, 2);

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const partOf = (standing: readonly Advice[], otherwise: string): string =>
  standing.length === 0
    ? otherwise
    : `${standing.map(({ advice }) => sentence(advice)).join('. ')}.`;

const middleOf = (values: readonly number[]): string => {
  const sorted = ascending(values);
  return `${countText(quantile(sorted, 0.25))} to ${countText(quantile(sorted, 0.75))}`;
};

const captionOf = (videos: readonly RankedVideo[], standing: readonly Advice[]): string => {
  const lengths = videos
    .filter((v) => v.top && v.title !== null)
    .map((v) => titleLength(v.title ?? ''));
  const usual =
    lengths.length === 0
      ? 'The top tenth has no titles to learn from.'
      : `The middle half of the top tenth writes ${middleOf(lengths)} characters before its hashtags (n = ${lengths.length}).`;
  return standing.length === 0 ? usual : `${partOf(standing, '')} ${usual}`;
};

const formatOf = (videos: readonly RankedVideo[], standing: readonly Advice[]): string => {
  const seconds = videos
    .filter((v) => v.top && v.durationSec !== null)
    .map((v) => v.durationSec ?? 0);
  const usual =
    seconds.length < 5
      ? 'The length of too few videos is known to say which works.'
      : `The middle half of the top tenth lasts ${middleOf(seconds)} seconds (n = ${seconds.length}).`;
  return standing.length === 0 ? usual : `${partOf(standing, '')} ${usual}`;
};

const TAGS_MOST = 5;
const LONGEST_TAG = 100;
const TAG_USES_LEAST = 5;
/** Tags that fewer creators use are their own names and phrases, of no use to others. */
const TAG_CREATORS_LEAST = 3;

/** Tags that most surely go with the top tenth; the video's own where none does. */
const hashtagsOf = (tags: readonly NicheTag[], own: readonly string[]): string[] => {
  const sure = tags
    .map((tag) => ({ ...tag, low: shareInterval(tag.top, tag.top + tag.rest).low }))
    .filter(({ top, rest, low }) => top + rest >= TAG_USES_LEAST && low > 0.1)
    .sort((a, b) => b.low - a.low)
    .map(({ tag }) => tag);
  return (sure.length > 0 ? sure : own)
    .filter((tag) => tag !== '' && tag.length <= LONGEST_TAG)
    .slice(0, TAGS_MOST);
};

/**
 * How to make one like it, drawn from what sets the best-viewed tenth of `videos` apart from the
 * rest. Says plainly where nothing does.
 * @param niche whom the advice is drawn from, in words
 * @param own hashtags of the video itself
 */
export const recipeOf = (
  videos: readonly RankedVideo[],
  tags: readonly NicheTag[],
  niche: string,
  own: readonly string[],
): Recipe => {
  const [hooks, captions, formats] = [
    standsOut(videos, 'hook'),
    standsOut(videos, 'caption'),
    standsOut(videos, 'format'),
  ];
  const hook = partOf(
    hooks,
    `No opening surely sets the top tenth of ${countText(videos.length)} videos apart; start with what the video shows.`,
  );
  const hashtags = hashtagsOf(tags, own);
  const windows = bestWindows(videos);
  const small =
    videos.length < SMALL_GROUP ? ' This is a small group: take the recipe as a hint.' : '';
  const when = windows
    .filter(({ isSure }) => isSure)
    .map(({ window: { weekday, fromHour, toHour } }) =>
      weekday === 'any' ? `between ${fromHour} and ${toHour} h UTC` : `on a ${weekday}`,
    );
  return {
    hook,
    format: formatOf(videos, formats),
    caption: captionOf(videos, captions),
    hashtags,
    postingWindows: windows.map(({ window }) => window),
    steps: [
      `Look at the best-viewed tenth of ${niche} (${countText(videos.length)} videos) before you start: what sets it apart goes with success, it need not cause it.${small}`,
      ...[...hooks, ...formats, ...captions].map(({ advice }) => `${sentence(advice)}.`),
      ...(hashtags.length === 0 ? [] : [`Tag it ${hashtags.map((tag) => `#${tag}`).join(' ')}.`]),
      ...(when.length === 0 ? [] : [`Publish it ${when.join(', best ')}.`]),
    ].slice(0, 10),
  };
};

const NICHE_TAGS = `
  select h.tag, sum(k.value ->> '$[1]') as top, sum(1 - (k.value ->> '$[1]')) as rest
  from json_each(?) k
  join video_hashtag vh on vh.video_key = k.value ->> '$[0]'
  join hashtag h on h.key = vh.hashtag_key
  join video v on v.key = vh.video_key
  left join handle_spelling n on n.handle = v.user
  group by h.key having count(*) >= ${TAG_USES_LEAST} and count(distinct coalesce(n.folded, v.user)) >= ${TAG_CREATORS_LEAST}`;

/** The hashtags of the given videos, with how many of each are in the top tenth. */
export const nicheTagsOf = ({ sqlite }: Lake, videos: readonly RankedVideo[]): NicheTag[] =>
  prepare<NicheTag>(sqlite, NICHE_TAGS, { tag: 'text', top: 'number', rest: 'number' }).all(
    JSON.stringify(videos.map((video) => [video.key, video.top ? 1 : 0])),
  );
