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

/** A hashtag with its videos inside and outside the top tenth. */
interface NicheTag {
  readonly tag: string;
  readonly top: number;
  readonly rest: number;
}

interface Advice {
  readonly advice: string;
  readonly low: number;
}

/** Features to use and to avoid, clearest first. */
const adviceOn = (videos: readonly RankedVideo[], part: Feature['part']): Advice[] =>
  TITLE_FEATURES.filter((feature) => feature.part === part)
    .flatMap((feature) => {
      const { low, high, withIt, without } = contrast(videos, feature.of);
      const isFor = low > 0;
      if ((!isFor && high >= 0) || withIt.trials < SMALL_GROUP) return [];
      const shares = `${percent(withIt.successes / withIt.trials)} of ${countText(withIt.trials)} with it reach the top 10 %, compared with ${percent(without.successes / without.trials)} of ${countText(without.trials)} without`;
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
const sentences = (advice: readonly Advice[]): string[] =>
  advice.map((entry) => `${sentence(entry.advice)}.`);

const middleOf = (values: readonly number[]): string => {
  const sorted = ascending(values);
  return `${countText(quantile(sorted, 0.25))} to ${countText(quantile(sorted, 0.75))}`;
};

const captionOf = (videos: readonly RankedVideo[], advice: readonly Advice[]): string => {
  const lengths = videos
    .filter((v) => v.top && v.title !== null)
    .map((v) => titleLength(v.title ?? ''));
  const usual =
    lengths.length === 0
      ? 'No video in the top 10 % has a title.'
      : `Half of the top 10 % use ${middleOf(lengths)} characters before the hashtags (n = ${lengths.length}).`;
  return [...sentences(advice), usual].join(' ');
};

const formatOf = (videos: readonly RankedVideo[], advice: readonly Advice[]): string => {
  const seconds = videos
    .filter((v) => v.top && v.durationSec !== null)
    .map((v) => v.durationSec ?? 0);
  const usual =
    seconds.length < 5
      ? 'The lake knows the length of too few videos to recommend one.'
      : `Half of the top 10 % last ${middleOf(seconds)} seconds (n = ${seconds.length}).`;
  return [...sentences(advice), usual].join(' ');
};

const TAGS_MOST = 5;
const LONGEST_TAG = 100;
const TAG_USES_LEAST = 5;
/** Tags with fewer creators are mostly their names and slogans. */
const TAG_CREATORS_LEAST = 3;

/** Tags with clear evidence; else those of the video itself. */
const hashtagsOf = (tags: readonly NicheTag[], own: readonly string[]): string[] => {
  const clear = tags
    .map((tag) => ({ ...tag, low: shareInterval(tag.top, tag.top + tag.rest).low }))
    .filter(({ top, rest, low }) => top + rest >= TAG_USES_LEAST && low > 0.1)
    .sort((a, b) => b.low - a.low)
    .map(({ tag }) => tag);
  return (clear.length > 0 ? clear : own)
    .filter((tag) => tag !== '' && tag.length <= LONGEST_TAG)
    .slice(0, TAGS_MOST);
};

/**
 * Advice from differences between the most viewed tenth of `videos` and the rest.
 * @param niche name of the group, for people
 * @param own hashtags of the video itself
 */
export const recipeOf = (
  videos: readonly RankedVideo[],
  tags: readonly NicheTag[],
  niche: string,
  own: readonly string[],
): Recipe => {
  const [hooks, captions, formats] = [
    adviceOn(videos, 'hook'),
    adviceOn(videos, 'caption'),
    adviceOn(videos, 'format'),
  ];
  const hook =
    hooks.length > 0
      ? sentences(hooks).join(' ')
      : `No opening is clearly better among ${countText(videos.length)} videos. Start with the subject of the video.`;
  const hashtags = hashtagsOf(tags, own);
  const windows = bestWindows(videos);
  const small =
    videos.length < SMALL_GROUP ? ' The group is small, so this recipe is only a hint.' : '';
  const when = windows
    .filter(({ isSure }) => isSure)
    .map(({ window: { weekday, fromHour, toHour } }) =>
      weekday === 'any' ? `between ${fromHour}:00 and ${toHour}:00 UTC` : `on a ${weekday}`,
    );
  return {
    hook,
    format: formatOf(videos, formats),
    caption: captionOf(videos, captions),
    hashtags,
    postingWindows: windows.map(({ window }) => window),
    steps: [
      `Watch the top 10 % of ${niche} by views (${countText(videos.length)} videos) before you start. Their common features need not be the cause of their success.${small}`,
      ...sentences([...hooks, ...formats, ...captions]),
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

export const nicheTagsOf = ({ sqlite }: Lake, videos: readonly RankedVideo[]): NicheTag[] =>
  prepare<NicheTag>(sqlite, NICHE_TAGS, { tag: 'text', top: 'number', rest: 'number' }).all(
    JSON.stringify(videos.map((video) => [video.key, video.top ? 1 : 0])),
  );
