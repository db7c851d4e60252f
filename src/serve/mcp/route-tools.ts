import { OpenAPIHono } from '@hono/zod-openapi';
import type { McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { isoOf } from '../../base/iso.ts';
import { isObject } from '../../base/json-object.ts';
import { analysisResponse } from '../../base/wire/analysis-shapes.ts';
import { analyzeVideo } from '../../learn/why/analyze.ts';
import type { ReadContext } from '../request/context.ts';
import type { GetRoute } from '../request/describe.ts';
import { creatorRoute } from '../routes/creators.ts';
import { eventsRoute } from '../routes/extensions.ts';
import { forecastsRoute } from '../routes/forecasts.ts';
import { analyzeBody } from '../routes/lab.ts';
import { feedRoute, hashtagsRoute, trendsRoute } from '../routes/lists.ts';
import { searchRoute } from '../routes/search.ts';
import { growthRoute, unknownVideo, videoRoute } from '../routes/videos.ts';
import { watchesRoute } from '../routes/watches.ts';
import { addTool, type LakeOfTools } from './lake-tool.ts';

type SharedRoute = GetRoute<ReadContext>;

/** A tool that answers as a route does. */
interface RouteTool {
  readonly name: string;
  readonly title: string;
  /** Also names sampled, estimated and unknown values. */
  readonly description: string;
  readonly route: SharedRoute;
}

const COUNTS =
  'Counts are from the last pull or import; null means unknown, never 0. engagementRate is percent, velocity views per hour.';

const BEFORE_ANALYZE: readonly RouteTool[] = [
  {
    name: 'feed',
    title: 'Feed of a platform',
    description: `The latest viral videos of one platform, ranked by reach and velocity. If the lake has a pulled feed of that dateRange, you get it in the service's order, with the time of the pull as asOf. Otherwise the list is computed from the sample of videos in this lake. ${COUNTS}`,
    route: feedRoute,
  },
  {
    name: 'trends',
    title: 'Trending videos',
    description: `Trending videos of a platform over a day, a week or a month, by views gained. As pulled if the lake has that list, otherwise computed from the videos in this lake. Videos with unknown gain come last. ${COUNTS}`,
    route: trendsRoute,
  },
  {
    name: 'search',
    title: 'Search videos',
    description: `Full-text search over titles, handles and hashtags of the videos in this lake, best match first. It does not search the whole platform. total is a lower bound if counting took too long. ${COUNTS}`,
    route: searchRoute,
  },
  {
    name: 'hashtags',
    title: 'Trending hashtags',
    description:
      'Hashtags by volume: distinct videos with the tag inside dateRange. Pulled volumes cover the platform. An item with "sampled": true is counted over the videos in this lake only, so do not compare its volume with pulled ones. change is the relative change against the window before; null unless both windows were observed alike.',
    route: hashtagsRoute,
  },
  {
    name: 'events',
    title: 'Events',
    description:
      'Detected events, newest first: trend.spike (a video), creator.viral, hashtag.rising, niche.breakout, each with its window and its numbers under data.evidence. Events cover observed data only: no event does not mean that nothing happened.',
    route: eventsRoute,
  },
  {
    name: 'forecast',
    title: 'Forecast of top videos',
    description:
      'Videos of a platform seen in the last two days, by topProbability: the chance to finish in the top 10 % by growth among similar videos. list=next (default) has videos that are not there yet, list=risen those that are. gain24h is the expected gain of a day, overBy the likely end of the rise. median, low and high estimate its views after the horizon (8 in 10 videos land between low and high); null if too few outcomes are known. Empty until the lake has enough history. For all horizons of one video, call growth.',
    route: forecastsRoute,
  },
  {
    name: 'video',
    title: 'One video',
    description:
      'One video as last seen: title, creator, hashtags and counts. Counts may be hours or days old (growth has their times). Null means unknown, never 0.',
    route: videoRoute,
  },
  {
    name: 'growth',
    title: 'Growth of a video',
    description:
      'Snapshots of one video, oldest first; the curve computed from them (views per hour between snapshots, peak, doubling time, phase: rising, peaking, fading, flat or unknown); and its forecast, or null. Counts between two snapshots are unknown: a gap does not mean no growth.',
    route: growthRoute,
  },
];

const AFTER_ANALYZE: readonly RouteTool[] = [
  {
    name: 'creators',
    title: 'A creator',
    description:
      "A creator's profile as last seen, their videos in this lake (a sample of what they published), and their counts over time. Numbers are null if no profile was pulled. For rising creators, query the view creators_rising.",
    route: creatorRoute,
  },
  {
    name: 'watches',
    title: 'Followed creators, videos, hashtags and searches',
    description:
      'Subjects that this lake follows, with cadence, tags (clients, campaigns), price in calls per 30 days and state. pausedReason says why the service ended one.',
    route: watchesRoute,
  },
];

/** Items on a page, fewer than a route returns: an assistant reads all of them. */
const USUAL_LIMIT = 20;

/** Properties and required names of the parameters of a route, from its OpenAPI description. */
const jsonSchemaOf = ({ config }: SharedRoute): Record<string, unknown> => {
  const app = new OpenAPIHono();
  app.openAPIRegistry.registerPath(config);
  const info = { title: '', version: '' };
  const { paths } = app.getOpenAPI31Document({ openapi: '3.1.0', info });
  const named = (paths?.[config.path]?.get?.parameters ?? []).filter((each) => 'name' in each);
  const properties = named.map(({ name, description, schema }) => {
    const { example: _, ...bounds } = { example: null, ...schema }; // not of JSON Schema
    const usual = name === 'limit' ? { default: USUAL_LIMIT } : {};
    return [name, { ...bounds, ...usual, description }];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: named.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
};

/** Parameters of a route as the input of a tool. Numbers are read as in an address. */
const inputOf = (route: SharedRoute): StandardSchemaWithJSON<unknown, Record<string, unknown>> => {
  const schema = z.strictObject({ ...route.params.shape, ...route.query.shape });
  const usual = 'limit' in schema.shape ? { limit: USUAL_LIMIT } : {};
  const inAddress = (given: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries({ ...usual, ...given }).map(([name, value]) => [
        name,
        typeof value === 'number' ? String(value) : value,
      ]),
    );
  const json = () => jsonSchemaOf(route);
  return {
    '~standard': {
      version: 1,
      vendor: 'trendlake',
      validate: (given) => schema['~standard'].validate(isObject(given) ? inAddress(given) : given),
      jsonSchema: { input: json, output: json },
    },
  };
};

/** Tools that answer as the routes of the service do, and `analyze`. */
export const addRouteTools = (server: McpServer, lake: LakeOfTools): void => {
  const addRouteTool = ({ route, ...tool }: RouteTool): void =>
    addTool(server, lake, {
      ...tool,
      input: inputOf(route),
      output: route.response,
      read: async (input, reading) => {
        const asOf = reading.instantOf(input.asOf as number | undefined);
        const moment = { asOf, owner: '', gone: () => new AbortController().signal };
        const content = await route.read(reading, input, moment, undefined);
        return { ...content.body, asOf: isoOf(content.asOf) };
      },
    });
  for (const tool of BEFORE_ANALYZE) addRouteTool(tool);
  addTool(server, lake, {
    name: 'analyze',
    title: 'Why a video went viral',
    description:
      "Why a video went viral, or did not, from this lake's numbers alone (no language model): each reason with its strength from 0 (could be chance) to 1 and its evidence, compared with the sample of videos in this lake; and a recipe for a similar video. Correlations, not proven causes.",
    input: z.strictObject(analyzeBody.shape),
    output: analysisResponse,
    read: async ({ id }, { lake, clock, instantOf }) => {
      const asOf = instantOf(undefined);
      const analysis = await analyzeVideo(lake, { id, asOf }, { clock });
      if (analysis === undefined) throw unknownVideo(id, asOf);
      return analysis;
    },
  });
  for (const tool of AFTER_ANALYZE) addRouteTool(tool);
};
