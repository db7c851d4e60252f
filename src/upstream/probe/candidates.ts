import { PERIODS, type Period, PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS, rangeMs } from '../../base/durations.ts';

// Words that services use, likeliest first, and how a word in a message is recognised.

const PLATFORM_WORDS: Readonly<Record<Platform, readonly string[]>> = {
  tiktok: ['tiktok', 'tik-tok', 'tik_tok', 'TikTok', 'TIKTOK', 'tt', 'douyin'],
  instagram: [
    'instagram',
    'reels',
    'ig',
    'instagram-reels',
    'instagram_reels',
    'insta',
    'Instagram',
    'INSTAGRAM',
  ],
  youtube: [
    'youtube',
    'shorts',
    'yt',
    'youtube-shorts',
    'youtube_shorts',
    'YouTube',
    'YOUTUBE',
    'youtubeshorts',
  ],
};

const MEANS_PLATFORM: Readonly<Record<Platform, RegExp>> = {
  tiktok: /^(tik.?tok|tt$|douyin)/i,
  instagram: /^(insta|ig$|ig[-_]|reels?$)/i,
  youtube: /^(you.?tube|yt$|yt[-_]|shorts?$)/i,
};

/** Periods of a service, which follow one pattern. */
const PERIOD_WORDS: readonly Readonly<Record<Period, string>>[] = [
  { day: 'day', week: 'week', month: 'month' },
  { day: 'daily', week: 'weekly', month: 'monthly' },
  { day: '24h', week: '7d', month: '30d' },
  { day: '1d', week: '7d', month: '30d' },
  { day: '1d', week: '1w', month: '1m' },
  { day: 'd', week: 'w', month: 'm' },
  { day: 'DAY', week: 'WEEK', month: 'MONTH' },
  { day: 'today', week: 'this_week', month: 'this_month' },
  { day: 'last_day', week: 'last_week', month: 'last_month' },
];

const MEANS_PERIOD: Readonly<Record<Period, RegExp>> = {
  day: /^(1?d|days?|daily|24h|today|p1d|(last|this|past)[-_]?(day|24h))$/i,
  week: /^(1?w|weeks?|weekly|7d|p7d|p1w|(last|this|past)[-_]?(week|7d))$/i,
  month: /^(1?m|1mo|months?|monthly|30d|28d|4w|p30d|p1m|(last|this|past)[-_]?(month|30d))$/i,
};

const wordsIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => text.match(/[a-z0-9][a-z0-9_-]*/gi) ?? [])),
];

const leadingFirst = (
  first: readonly string[],
  rest: readonly string[],
  tried: readonly string[],
) => [...new Set([...first, ...rest])].filter((word) => !tried.includes(word));

/** Words to try for a platform: those that messages named, then usual ones. */
export const platformCandidates = (
  platform: Platform,
  texts: readonly string[],
  tried: readonly string[],
): string[] => {
  const named = wordsIn(texts).filter((word) => MEANS_PLATFORM[platform].test(word));
  return leadingFirst(named, PLATFORM_WORDS[platform], tried);
};

/** The platform that a word names, or undefined. */
export const platformNamed = (word: string): Platform | undefined =>
  PLATFORMS.find((platform) => MEANS_PLATFORM[platform].test(word));

/** Words to try for a period; `like` is the pattern that other periods follow. */
export const periodCandidates = (
  period: Period,
  texts: readonly string[],
  { tried, like }: { tried: readonly string[]; like: Partial<Record<Period, string>> },
): string[] => {
  const named = wordsIn(texts).filter((word) => MEANS_PERIOD[period].test(word));
  const same = PERIOD_WORDS.filter((words) =>
    PERIODS.some((other) => like[other] !== undefined && words[other] === like[other]),
  );
  const usual = PERIOD_WORDS.map((words) => words[period]);
  return leadingFirst([...named, ...same.map((words) => words[period])], usual, tried);
};

const NAMED_SPANS: readonly (readonly [RegExp, number])[] = [
  [MEANS_PERIOD.day, DAY_MS],
  [MEANS_PERIOD.week, 7 * DAY_MS],
  [MEANS_PERIOD.month, 30 * DAY_MS],
];
const UNIT_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };

const spanOf = (word: string): number | undefined => {
  const written = /^(?:(?:last|past)[-_]?)?(?:pt?)?(\d{1,4})[-_]?(h|d|w)[a-z]*$/i.exec(word);
  const [, count = '', unit = ''] = written ?? [];
  if (count !== '') return Number(count) * (UNIT_MS[unit.toLowerCase()] ?? 0);
  return NAMED_SPANS.find(([means]) => means.test(word))?.[1];
};

const NEARLY = 0.1;

/** Words to try for a time window such as `24h`: those of the same length that messages named, then usual ones. */
export const rangeCandidates = (
  range: string,
  texts: readonly string[],
  tried: readonly string[],
): string[] => {
  const ms = rangeMs(range) ?? DAY_MS;
  const gap = (word: string): number => Math.abs((spanOf(word) ?? 0) - ms) / ms;
  const named = wordsIn(texts)
    .filter((word) => gap(word) < NEARLY)
    .sort((a, b) => gap(a) - gap(b));
  const [hours, days] = [ms / HOUR_MS, ms / DAY_MS];
  const named24 =
    days === 1 ? ['day', 'today'] : days === 7 ? ['week'] : days === 30 ? ['month'] : [];
  const usual = [
    range,
    `${days}d`,
    `${hours}h`,
    ...(days % 7 === 0 ? [`${days / 7}w`] : []),
    ...(days >= 28 && days <= 31 ? ['4w', '1m'] : []),
    ...named24,
    `last_${hours}h`,
    `last_${days}d`,
    `P${days}D`,
    `${days}days`,
  ];
  return leadingFirst(named, usual, tried);
};
