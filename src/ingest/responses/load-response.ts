import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import { shortly } from '../../base/wire/fields.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import { countsOnly } from '../../base/wire/observation.ts';
import { erasedOf } from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import { required } from '../../lake/prepare.ts';
import { searchWatches, serveWatch, serveWatches } from '../../lake/watches/watches.ts';
import type { RawResponse } from '../../upstream/client.ts';
import type { DecodedResponse } from '../../upstream/decode/decode.ts';
import type { DecodedItem } from '../../upstream/decode/decode-items.ts';
import { type Drift, UnreadableResponseError } from '../../upstream/errors.ts';
import type { ListRequest, UpstreamRequest } from '../../upstream/request.ts';
import { writeAnalysis } from '../writers/analyses.ts';
import { type DriftRow, storeDrift } from '../writers/drift.ts';
import { type Loader, loaderOf, type WordsIndexed } from '../writers/loader.ts';
import { forgetRejected, keepRejected, LONGEST_REJECTED } from '../writers/rejected-items.ts';
import { writeSearchHits } from '../writers/search-hits.ts';
import type { LoadCounts, Tally } from '../writers/tally.ts';
import { withoutErased } from './drop-erased.ts';
import { eraseValue } from './erase-json.ts';
import { writeHashtagList } from './hashtag-list.ts';
import { storeResponse } from './responses.ts';
import { statedOnce } from './stated-once.ts';

/** A call with its response. */
export interface FinishedCall {
  /** Null: outside of any run. */
  runId: number | null;
  request: UpstreamRequest;
  callId: number;
  response: RawResponse;
  decoded: DecodedResponse;
  /** Unix ms at which the response was complete. Its instant, unless it states one. */
  receivedAt: number;
  /** True for the last page of a list, which completes it. */
  isLastPage: boolean;
  /** Words of the upstream. */
  upstream?: UpstreamSettings;
}

const LONGEST_SAMPLE = 1024;

type VideosResponse = Extract<DecodedResponse, { kind: 'videos' }>;
type HashtagsResponse = Extract<DecodedResponse, { kind: 'hashtags' }>;
type GrowthResponse = Extract<DecodedResponse, { kind: 'growth' }>;
type CreatorResponse = Extract<DecodedResponse, { kind: 'creator' }>;

interface Context {
  lake: Lake;
  loader: Loader;
  tally: Tally;
  at: number;
  runId: number | null;
  isLastPage: boolean;
}

/** Hashtags of two mentions, each once; null if neither has a list. */
const hashtagsOfBoth = (
  { hashtags: earlier }: DecodedItem,
  { hashtags: later }: DecodedItem,
): Pick<DecodedItem, 'hashtags'> => ({
  hashtags:
    earlier === null || later === null ? (earlier ?? later) : [...new Set([...earlier, ...later])],
});

/** Writes the videos of a page. @returns their keys by id */
const writeItems = (
  items: readonly DecodedItem[],
  source: 'feed' | 'trends' | 'creator' | 'search',
  { loader, tally, at }: Context,
): Map<string, number> => {
  const byId = statedOnce(items, ({ id }) => id, hashtagsOfBoth);
  const observations = Array.from(byId.values(), (observed) => ({
    observed,
    seen: { at, source },
  }));
  const keys = loader.writeAll(observations, tally);
  return new Map(observations.map(({ observed }, index) => [observed.id, required(keys[index])]));
};

const loadVideos = (
  request: Extract<ListRequest, { platform: string }>,
  response: VideosResponse,
  context: Context,
): void => {
  const { loader, tally, at, runId, isLastPage: isLast } = context;
  const period = request.kind === 'feed' ? request.dateRange : request.period;
  const list = { list: request.kind, platform: request.platform, period };
  const capture = loader.rankings.open(
    { ...list, at, total: response.total, runId, isLast },
    tally,
  );
  const items = response.items.map(({ item }) => item);
  const keys = writeItems(items, request.kind, context);
  for (const { position, item } of response.items) {
    const video = keys.get(item.id);
    // a video of another platform has no rank in this list
    if (video === undefined || item.platform !== request.platform) continue;
    const { score, velocity } = item;
    loader.rankings.write(
      capture,
      { rank: request.offset + position + 1, video, score, velocity },
      tally,
    );
  }
};

const loadSearch = (
  request: Extract<UpstreamRequest, { kind: 'search' }>,
  response: VideosResponse,
  context: Context,
): void => {
  const { lake, at } = context;
  const items = response.items.map(({ item }) => item);
  const keys = writeItems(items, 'search', context);
  const videos = new Map(
    response.items.flatMap(({ position, item }) => {
      const key = keys.get(item.id);
      return key === undefined ? [] : [[position, key] as const];
    }),
  );
  const watchIds = searchWatches(lake, { words: request.q, platform: request.platform });
  writeSearchHits(lake, { watchIds, at, offset: request.offset, total: response.total, videos });
  if (request.offset === 0) for (const id of watchIds) serveWatch(lake, id, at);
};

const loadHashtags = (
  { dateRange: window, offset }: Extract<UpstreamRequest, { kind: 'hashtags' }>,
  response: HashtagsResponse,
  { loader, tally, at, runId, isLastPage }: Context,
): void =>
  writeHashtagList(
    loader,
    {
      platform: '',
      window,
      at,
      total: response.total,
      runId,
      isLast: isLastPage,
      items: response.items.map(({ position, item }) => ({ ...item, rank: offset + position + 1 })),
    },
    tally,
  );

const loadGrowth = (
  request: Extract<UpstreamRequest, { kind: 'growth' }>,
  response: GrowthResponse,
  { lake, loader, tally, at: receivedAt }: Context,
): void => {
  const { id, platform } = request;
  serveWatches(lake, { kind: 'video', platform, subject: id }, receivedAt);
  const points = [...statedOnce(response.points, ({ at }) => at).values()];
  for (const { at, ...counts } of points.toSorted((a, b) => a.at - b.at))
    loader.write(countsOnly({ id, platform, ...counts }), { at, source: 'growth' }, tally);
};

const loadCreator = (
  { platform, handle }: Extract<UpstreamRequest, { kind: 'creator' }>,
  { profile, growth, items }: CreatorResponse,
  context: Context,
): void => {
  const { lake, loader, tally, at } = context;
  const points = statedOnce(growth, (point) => point.at);
  // the profile is a point of the timeline too: two rows of one instant would replace each other
  const now = points.get(at);
  points.delete(at);
  const present = {
    ...profile,
    followers: profile.followers ?? now?.followers ?? null,
    views: profile.views ?? now?.views ?? null,
    likes: profile.likes ?? now?.likes ?? null,
  };
  const snapshotExtra = now?.extra ?? null;
  const seen = { ...present, at, snapshotExtra, growth: [...points.values()] };
  loader.creators.write(seen, 'creator', tally);
  writeItems(items, 'creator', context);
  serveWatches(lake, { kind: 'creator', platform, subject: foldHandle(handle) }, at);
};

/** Stores rejected items and drift of a response. */
const keepOddities = (
  lake: Lake,
  callId: number,
  { rejected, drift }: Pick<DecodedResponse, 'rejected' | 'drift'>,
  seenAt: number,
): void => {
  for (const { reason, item } of rejected)
    keepRejected(lake, { callId }, { reason, item: shortly(item, LONGEST_REJECTED), seenAt });
  storeDrift(lake, drift.map(driftRow), { callId, seenAt });
};

const driftRow = ({ resource, field, sample }: Drift): DriftRow => ({
  resource,
  field,
  sample: () => shortly(sample, LONGEST_SAMPLE),
});

/** Stores the unknown shape of an unreadable response as drift. */
export const keepUnknownShape = (
  lake: Lake,
  callId: number,
  error: unknown,
  seenAt: number,
): void => {
  if (!(error instanceof UnreadableResponseError) || error.drift === undefined) return;
  const sample = eraseValue(error.drift.sample, { subjects: erasedOf(lake) });
  storeDrift(lake, [driftRow({ ...error.drift, sample })], { callId, seenAt });
};

/** A stored response that is read again. */
export interface ReplayedResponse {
  runId: number | null;
  callId: number;
  request: UpstreamRequest;
  decoded: DecodedResponse;
  /** Unix ms. */
  observedAt: number;
  isLastPage: boolean;
  upstream?: UpstreamSettings;
}

/**
 * Loads one response in one transaction: its rows, body, rejected items, drift and touched partitions,
 * and what `within` writes (outcome of the call, state of the run's item). Repeating it changes no rows.
 * A replayed response keeps its body and replaces its rejected items.
 */
export const loadResponse = (
  lake: Lake,
  call: FinishedCall | ReplayedResponse,
  within: (counts: LoadCounts) => void = () => {},
  words: WordsIndexed = 'now',
): LoadCounts => {
  const { runId, request, callId, isLastPage } = call;
  const [at, seenAt] =
    'response' in call
      ? [call.decoded.asOf ?? call.receivedAt, call.receivedAt]
      : [call.observedAt, call.observedAt];
  const loader = loaderOf(lake);
  let kept: ReturnType<typeof withoutErased>;
  return loader.transaction(
    (tally) => {
      kept = withoutErased(lake, call);
      const context = { lake, loader, tally, at, runId, isLastPage };
      if (kept === undefined) return;
      const { decoded } = kept;
      if (decoded.kind === 'videos' && (request.kind === 'feed' || request.kind === 'trends'))
        loadVideos(request, decoded, context);
      else if (decoded.kind === 'videos' && request.kind === 'search')
        loadSearch(request, decoded, context);
      else if (decoded.kind === 'hashtags' && request.kind === 'hashtags')
        loadHashtags(request, decoded, context);
      else if (decoded.kind === 'growth' && request.kind === 'growth')
        loadGrowth(request, decoded, context);
      else if (decoded.kind === 'creator' && request.kind === 'creator')
        loadCreator(request, decoded, context);
      else if (decoded.kind === 'analysis' && request.kind === 'analyze') {
        const { analysis, generatedAt } = decoded;
        writeAnalysis(
          lake,
          { videoId: request.id, generatedAt: generatedAt ?? at, analysis },
          tally,
        );
      }
    },
    (counts) => {
      if (!('response' in call)) forgetRejected(lake, { callId });
      if (kept?.body !== undefined && 'response' in call)
        storeResponse(lake, callId, { ...call.response, body: kept.body }, at);
      if (kept !== undefined) keepOddities(lake, callId, kept.decoded, seenAt);
      within(counts);
    },
    words,
    seenAt,
  );
};
