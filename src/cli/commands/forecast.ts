import type { Command } from 'commander';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS, rangeMs } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { isoOf, isoOrNull, withIso } from '../../base/iso.ts';
import { orExpected, type Parsed } from '../../base/text-values.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { forecastLake } from '../../learn/forecast/forecast-lake.ts';
import { forecastAt, risingVideos } from '../../learn/forecast/read.ts';
import type { KeptForecast, RisingVideo } from '../../learn/forecast/shapes.ts';
import { forecastStates } from '../../learn/forecast/state.ts';
import { HORIZONS } from '../../learn/model/horizons.ts';
import { HASHTAG_KINDS } from '../../learn/model/model-rows.ts';
import { newestObservation } from '../../learn/model/observations.ts';
import { newestVolume } from '../../learn/volumes/lake-volumes.ts';
import { risingHashtags } from '../../learn/volumes/read-volumes.ts';
import { AHEAD_HOURS } from '../../learn/volumes/volume-series.ts';
import type { CliIo } from '../context/io.ts';
import { lakeToRead, lakeToWrite } from '../context/lakes.ts';
import { platformOption, valued } from '../context/option-values.ts';
import { counted } from '../text/figures.ts';
import { forecastStateText, scoresShown } from '../text/forecast-scores.ts';
import { timeText } from '../text/relative-time.ts';

const EXAMPLES = `
Examples:
  trendlake forecast                              videos not yet in the top 10 % that will likely get there
  trendlake forecast --platform tiktok --horizon 72h
  trendlake forecast --risen                      the videos already in the top 10 %
  trendlake forecast yt_dQw4w9WgXcQ --json        one video, every horizon
  trendlake forecast --hashtags                   hashtags by the growth expected of their volume in a week
  trendlake forecast --score                      compare earlier forecasts with the outcome, by week
  trendlake forecast --learn                      learn and forecast now, without a sync (after an import)

What the numbers mean, how often they were right and what they cannot do: ${docsPage('guides/forecasts.md')}.`;

type Horizon = (typeof HORIZONS)[number];
const NAMED: readonly string[] = HORIZONS.map((hours) => `${hours}h`);
const SHOWN = 10;

interface Options {
  readonly platform?: Platform;
  readonly horizon: Horizon;
  readonly score?: boolean;
  readonly hashtags?: boolean;
  readonly learn?: boolean;
  readonly risen?: boolean;
}

const horizon = (text: string): Parsed<Horizon> => {
  const ms = rangeMs(text);
  const value = HORIZONS.find((known) => ms === known * HOUR_MS);
  return orExpected(value, `one of ${NAMED.join(', ')}`);
};

const percent = (share: number): string => `${Math.round(100 * share)} %`;
/** Avoids 0 % and 100 %: a forecast is never certain. */
const likely = (probability: number): string =>
  probability > 0.99 ? 'over 99 %' : probability < 0.01 ? 'under 1 %' : percent(probability);

/** Reasons for missing forecasts, and what to do. */
const silence = (lake: Lake, io: CliIo): string[] => {
  const states = forecastStates(lake.sqlite, io.clock.now());
  return states.length === 0
    ? [
        `  No curve is finished yet: ${commandText('sync')}, night after night, or import, then forecast --learn`,
      ]
    : states.map(forecastStateText);
};

const videoText = (id: string, { madeAt, samples, ...its }: KeptForecast, io: CliIo): string[] => [
  `${id}: ${its.overEdge ? 'already in the top 10 % of its cohort' : `${likely(its.topProbability)} likely to finish in the top 10 % of its cohort`} (from its snapshot of ${isoOf(madeAt)}; learnt from ${counted(samples, 'finished curve')})`,
  ...(its.overBy === null
    ? []
    : [`Its rise is likely over by ${isoOf(its.overBy)}: 8 in 10 similar videos stopped by then.`]),
  io.tableOf(its.horizons, {
    in: ({ hours }) => `${hours} h`,
    'median views': ({ median }) => median ?? '-',
    '80 % between': ({ low }) => low ?? '-',
    and: ({ high }) => high ?? '-',
  }),
];

/** Output of one form of the command: a document for programs, lines for people. */
interface Shown {
  readonly document: unknown;
  readonly lines: () => string[];
}

const ofVideo = (lake: Lake, id: string, io: CliIo): Shown => {
  const { sqlite } = lake;
  const key = prepare(sqlite, 'select key from video where id = ?', 'number').get(id);
  if (key === undefined)
    throw new UsageError(
      `No video ${id} is in the lake. Find ids with \`${commandText('search')}\` or \`${commandText('forecast')}\`.`,
    );
  const at = newestObservation(sqlite, io.clock.now()) ?? 0;
  const forecast = forecastAt(sqlite, key, at);
  const shown = forecast && withIso(forecast, 'madeAt', 'overBy', 'learntAt');
  const lines = (): string[] =>
    forecast !== undefined
      ? [...staleLines(at, io.clock.now()), ...videoText(id, forecast, io)]
      : [
          `No forecast for ${id}: no recent snapshot exists, or too few similar videos have finished.`,
          ...silence(lake, io),
        ];
  return { document: { id, forecast: shown ?? null }, lines };
};

const jsonOf = ({ madeAt, overBy, hours, ...video }: RisingVideo, rank: number) => ({
  rank: rank + 1,
  ...video,
  horizonHours: hours,
  madeAt: isoOf(madeAt),
  overBy: isoOrNull(overBy),
});

/** Time until the likely end of a rise, from the newest count of the lake. */
const overText = (overBy: number | null, at: number): string =>
  overBy === null ? '-' : overBy <= at ? 'now' : `${Math.ceil((overBy - at) / HOUR_MS)} h`;

/** States the age of a lake whose newest count is more than a day old. */
const staleLines = (at: number, now: number): string[] =>
  at === 0 || now - at < DAY_MS
    ? []
    : [
        `The newest count is of ${timeText(at, now)}. The forecasts below start from then, not from now.`,
      ];

const ofPlatforms = (lake: Lake, options: Options, io: CliIo): Shown => {
  const { sqlite } = lake;
  const hours = options.horizon;
  const at = newestObservation(sqlite, io.clock.now()) ?? 0;
  const platforms = options.platform === undefined ? PLATFORMS : [options.platform];
  const list = options.risen === true ? 'risen' : 'next';
  const now = io.clock.now();
  const heading =
    list === 'risen'
      ? 'already in the top 10 % of their cohort by growth'
      : 'most likely to reach the top 10 % of their cohort by growth';
  const lists = platforms.map((platform) => ({
    platform,
    videos: risingVideos(sqlite, { platform, list, hours, at, limit: SHOWN }),
  }));
  const items = lists.flatMap(({ videos }) => videos.map(jsonOf));
  const lines = (): string[] => {
    const spoken = lists.filter(({ videos }) => videos.length > 0);
    if (spoken.length === 0)
      return [
        list === 'next' ? 'No forecasts yet.' : 'No video is on top yet.',
        ...silence(lake, io),
      ];
    const tables = spoken.flatMap(({ platform, videos }) => [
      `${platform}: ${heading}; views in ${hours} h`,
      io.tableOf(
        videos,
        {
          likely: ({ topProbability }) => likely(topProbability),
          video: ({ id }) => id,
          title: ({ title }) => title,
          views: ({ views }) => views,
          '+24 h': ({ gain24h }) => gain24h ?? '-',
          median: ({ median }) => median ?? '-',
          low: ({ low }) => low ?? '-',
          high: ({ high }) => high ?? '-',
          'over in': ({ overBy }) => overText(overBy, at),
        },
        { figures: ['+24 h', 'median', 'low', 'high', 'over in'] },
      ),
    ]);
    return [
      ...staleLines(at, now),
      ...tables,
      'low and high: 8 in 10 videos land between them. over in: 8 in 10 similar videos stopped rising by then.',
      ...(list === 'next' ? [`Videos already on top: ${commandText('forecast --risen')}`] : []),
    ];
  };
  return { document: { asOf: isoOf(at), horizonHours: hours, items }, lines };
};

const windowText = (window: string | null): string => (window === null ? '' : `, over ${window}`);

const ofHashtags = (lake: Lake, { platform }: Options, io: CliIo): Shown => {
  const { sqlite } = lake;
  const at = newestVolume(sqlite, io.clock.now()) ?? 0;
  const lists = (platform === undefined ? ['' as const, ...PLATFORMS] : [platform]).flatMap(
    (of) => {
      const tags = risingHashtags(sqlite, { platform: of, at, limit: SHOWN });
      return [...Map.groupBy(tags, ({ window }) => window)].map(([window, items]) => ({
        of,
        window,
        items,
      }));
    },
  );
  const items = lists.flatMap(({ items: tags }) =>
    tags.map(({ madeAt, ...tag }, index) => ({ rank: index + 1, ...tag, madeAt: isoOf(madeAt) })),
  );
  const lines = (): string[] => {
    if (lists.length === 0)
      return [
        'No hashtag forecasts yet. They need eight weeks of volumes and 100 outcomes.',
        ...forecastStates(sqlite, io.clock.now())
          .filter(({ kind }) => kind.startsWith(HASHTAG_KINDS))
          .map(forecastStateText),
      ];
    return lists.flatMap(({ of, window, items: tags }) => [
      `${of === '' ? 'all platforms' : of}: volume in a week${windowText(window)}, by expected growth`,
      io.tableOf(tags, {
        hashtag: ({ tag }) => tag,
        'volume now': ({ volume }) => volume,
        median: ({ median }) => median,
        '80 % between': ({ low }) => low,
        and: ({ high }) => high,
      }),
    ]);
  };
  return { document: { asOf: isoOf(at), horizonHours: AHEAD_HOURS, items }, lines };
};

const learn = async (io: CliIo): Promise<void> => {
  using lake = lakeToWrite(io);
  const { learnt, forecast, hashtags, warnings } = await forecastLake(lake, {
    clock: io.clock,
    signal: io.signal,
    relearn: true,
  });
  for (const warning of warnings) io.err(warning);
  io.note(
    `${counted(learnt, 'model')} learnt, ${counted(forecast, 'video')} and ${counted(hashtags, 'hashtag')} forecast.`,
  );
};

export const define = (command: Command, io: CliIo): void => {
  command
    .argument('[video]', 'id of a video; without it the most likely of each platform')
    .addOption(platformOption())
    .addOption(valued('--horizon <span>', `forecast horizon: ${NAMED.join(', ')}`, horizon, '24h'))
    .option('--risen', 'list the videos already in the top 10 % instead')
    .option('--hashtags', 'forecast hashtag volumes a week ahead')
    .option('--score', 'compare earlier forecasts with the outcome')
    .option('--learn', 'learn and forecast now, without a sync')
    .option('--json', 'one JSON document')
    .addHelpText('after', EXAMPLES)
    .action(async (video: string | undefined, options: Options) => {
      if (options.learn === true) await learn(io);
      using lake = lakeToRead(io);
      const shown =
        options.score === true
          ? scoresShown(lake, options, io)
          : options.hashtags === true
            ? ofHashtags(lake, options, io)
            : video === undefined
              ? ofPlatforms(lake, options, io)
              : ofVideo(lake, video, io);
      io.show(shown.document, shown.lines);
    });
};
