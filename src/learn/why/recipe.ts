import type { Platform } from '../../../schema/vocabulary.ts';
import type { Recipe } from '../../base/wire/analysis-shapes.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { quantile } from '../model/quantiles.ts';
import { genericTest } from './cohorts.ts';
import { bestWindows } from './posting-windows.ts';
import { ascending, countText, percent, SMALL_GROUP, shareInterval } from './statistics.ts';
import { type Feature, TITLE_FEATURES, titleLength, withoutTags } from './title-features.ts';
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

/** Words of a title in lower case, without hashtags: a sign of language and subject. */
const wordsOf = (title: string | null): Set<string> =>
  new Set(
    withoutTags(title ?? '')
      .toLowerCase()
      .match(/[\p{L}\p{M}]{2,}/gu) ?? [],
  );

// `alike`: shares a second tag with the video, or a tag and a word of the title
const NICHE_TAGS = `
  with near as materialized (
    select k.value ->> '$[0]' as key, k.value ->> '$[1]' as top, k.value ->> '$[2]' + (
      select count(*) from video_hashtag where video_key = k.value ->> '$[0]'
        and hashtag_key in (select value from json_each(@own))) > 1 as alike
    from json_each(@videos) k
  )
  select h.key, h.tag, sum(g.top) as top, sum(1 - g.top) as rest,
    avg(g.alike) as alike, (select avg(alike) from near) as usual
  from near g
  join video_hashtag vh on vh.video_key = g.key
  join hashtag h on h.key = vh.hashtag_key
  join video v on v.key = vh.video_key
  left join handle_spelling n on n.handle = v.user
  group by h.key having count(*) >= ${TAG_USES_LEAST} and count(distinct coalesce(n.folded, v.user)) >= ${TAG_CREATORS_LEAST}`;

/** Tags of videos less like this one than half of the niche are of another language or subject. */
const ALIKE_LEAST = 0.5;

/** Tags of a niche that suit one of its videos, without generic ones. */
export const nicheTagsOf = (
  lake: Lake,
  videos: readonly RankedVideo[],
  subject: { readonly title: string | null; readonly platform: Platform },
  own: readonly { readonly key: number }[],
): NicheTag[] => {
  const isGeneric = genericTest(lake, subject.platform);
  const words = wordsOf(subject.title);
  const keyed = videos.map((video) => [
    video.key,
    video.top ? 1 : 0,
    [...wordsOf(video.title)].some((word) => words.has(word)) ? 1 : 0,
  ]);
  return prepare(lake.sqlite, NICHE_TAGS, {
    key: 'number',
    tag: 'text',
    top: 'number',
    rest: 'number',
    alike: 'number',
    usual: 'number',
  })
    .all({
      videos: JSON.stringify(keyed),
      own: JSON.stringify(own.map(({ key }) => key).filter((key) => !isGeneric(key))),
    })
    .filter((tag) => tag.alike > 0 && tag.alike >= ALIKE_LEAST * tag.usual && !isGeneric(tag.key));
};
