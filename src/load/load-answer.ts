import type { Ask, ListAsk } from '../api/ask.ts';
import type { RawAnswer } from '../api/client.ts';
import type { DecodedAnswer } from '../api/decode.ts';
import type { DecodedItem } from '../api/decode-items.ts';
import { type Drift, UnreadableAnswerError } from '../api/errors.ts';
import { type DriftRow, noteDrift } from '../lake/drift.ts';
import type { Lake } from '../lake/open.ts';
import { shortly } from '../wire/fields.ts';
import { countsOnly } from '../wire/observation.ts';
import { writeAnalysis } from './analyses.ts';
import { writeHashtagList } from './hashtag-list.ts';
import { type Loader, loaderOf } from './loader.ts';
import { forgetRejected, keepRejected, LONGEST_REJECTED } from './rejected-items.ts';
import { storeResponse } from './responses.ts';
import { statedOnce } from './stated-once.ts';
import type { LoadCounts, Tally } from './tally.ts';

/** A call that was answered, and what its response says. */
export interface AnsweredCall {
  /** Null: outside of any run. */
  runId: number | null;
  ask: Ask;
  callId: number;
  answer: RawAnswer;
  decoded: DecodedAnswer;
  /** Unix ms at which the answer was complete; the instant it is true at unless it says so itself. */
  receivedAt: number;
  /** For a page of a list, true where no page is asked for after it: the list is whole with it. */
  isLastPage: boolean;
}

const LONGEST_SAMPLE = 1024;

type VideosAnswer = Extract<DecodedAnswer, { kind: 'videos' }>;
type HashtagsAnswer = Extract<DecodedAnswer, { kind: 'hashtags' }>;
type GrowthAnswer = Extract<DecodedAnswer, { kind: 'growth' }>;
type CreatorAnswer = Extract<DecodedAnswer, { kind: 'creator' }>;

interface Context {
  lake: Lake;
  loader: Loader;
  tally: Tally;
  at: number;
  runId: number | null;
  isLastPage: boolean;
}

/** The hashtags of two mentions, each once; null where neither has a list of its own. */
const hashtagsOfBoth = (
  { hashtags: earlier }: DecodedItem,
  { hashtags: later }: DecodedItem,
): Pick<DecodedItem, 'hashtags'> => ({
  hashtags:
    earlier === null || later === null ? (earlier ?? later) : [...new Set([...earlier, ...later])],
});

/** Writes the videos of a page; their keys by id. */
const writeItems = (
  items: readonly DecodedItem[],
  source: 'feed' | 'trends' | 'creator',
  { loader, tally, at }: Context,
): Map<string, number> => {
  const byId = statedOnce(items, ({ id }) => id, hashtagsOfBoth);
  loader.expect([...byId.keys()]);
  const keys = new Map<string, number>();
  for (const [id, item] of byId) keys.set(id, loader.write(item, { at, source }, tally));
  return keys;
};

const loadVideos = (
  ask: Extract<ListAsk, { platform: string }>,
  answer: VideosAnswer,
  context: Context,
): void => {
  const { loader, tally, at, runId, isLastPage: isLast } = context;
  const period = ask.kind === 'feed' ? ask.dateRange : ask.period;
  const list = { list: ask.kind, platform: ask.platform, period };
  const capture = loader.rankings.open({ ...list, at, total: answer.total, runId, isLast }, tally);
  const items = answer.items.map(({ item }) => item);
  const keys = writeItems(items, ask.kind, context);
  for (const { position, item } of answer.items) {
    if (item.platform !== ask.platform) continue; // its counts are loaded; it has no rank among these
    const video = keys.get(item.id) as number;
    const { score, velocity } = item;
    loader.rankings.write(
      capture,
      { rank: ask.offset + position + 1, video, score, velocity },
      tally,
    );
  }
};

const loadHashtags = (
  { dateRange: window, offset }: Extract<Ask, { kind: 'hashtags' }>,
  answer: HashtagsAnswer,
  { loader, tally, at, runId, isLastPage }: Context,
): void =>
  writeHashtagList(
    loader,
    {
      ...{ platform: '', window, at, total: answer.total, runId, isLast: isLastPage },
      items: answer.items.map(({ position, item }) => ({ ...item, rank: offset + position + 1 })),
    },
    tally,
  );

const loadGrowth = (
  ask: Extract<Ask, { kind: 'growth' }>,
  answer: GrowthAnswer,
  { loader, tally }: Context,
): void => {
  const { id, platform } = ask;
  const points = [...statedOnce(answer.points, ({ at }) => at).values()];
  for (const { at, ...counts } of points.toSorted((a, b) => a.at - b.at))
    loader.write(countsOnly({ id, platform, ...counts }), { at, source: 'growth' }, tally);
};

const loadCreator = ({ profile, growth, items }: CreatorAnswer, context: Context): void => {
  const { loader, tally, at } = context;
  const points = statedOnce(growth, (point) => point.at);
  // the profile is itself a point of the timeline: two rows of one instant would replace each other
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
};

const loadRows = (ask: Ask, decoded: DecodedAnswer, context: Context): void => {
  if (decoded.kind === 'videos' && (ask.kind === 'feed' || ask.kind === 'trends'))
    loadVideos(ask, decoded, context);
  else if (decoded.kind === 'hashtags' && ask.kind === 'hashtags')
    loadHashtags(ask, decoded, context);
  else if (decoded.kind === 'growth' && ask.kind === 'growth') loadGrowth(ask, decoded, context);
  else if (decoded.kind === 'creator') loadCreator(decoded, context);
  else if (decoded.kind === 'analysis' && ask.kind === 'analyze') {
    const { analysis, generatedAt } = decoded;
    const stated = { videoId: ask.id, generatedAt: generatedAt ?? context.at, analysis };
    writeAnalysis(context.lake, stated, context.tally);
  }
};

/** Keeps what of a response cannot be loaded, and its drift. */
const keepOddities = (
  lake: Lake,
  callId: number,
  { rejected, drift }: Pick<DecodedAnswer, 'rejected' | 'drift'>,
  seenAt: number,
): void => {
  for (const { reason, item } of rejected)
    keepRejected(lake, { callId }, { reason, item: shortly(item, LONGEST_REJECTED), seenAt });
  noteDrift(lake, drift.map(driftRow), { callId, seenAt });
};

const driftRow = ({ resource, field, sample }: Drift): DriftRow => ({
  resource,
  field,
  sample: () => shortly(sample, LONGEST_SAMPLE),
});

/** Reports the shape of an answer that could not be read because nobody knows it. */
export const keepUnknownShape = (
  lake: Lake,
  callId: number,
  error: unknown,
  seenAt: number,
): void => {
  if (error instanceof UnreadableAnswerError && error.drift !== undefined)
    noteDrift(lake, [driftRow(error.drift)], { callId, seenAt });
};

/** A kept answer, read anew. */
export interface ReplayedAnswer {
  runId: number | null;
  callId: number;
  ask: Ask;
  decoded: DecodedAnswer;
  /** Unix ms; the instant it is true at. */
  observedAt: number;
  /** As with the answer it was. */
  isLastPage: boolean;
}

/**
 * Loads a kept answer anew, in one transaction: its rows, and what is odd about it in place of what
 * was. The ledger, the run and the body stay as they are. Doing it again changes nothing.
 */
export const reloadAnswer = (lake: Lake, answer: ReplayedAnswer): LoadCounts => {
  const { runId, callId, ask, decoded, observedAt: at, isLastPage } = answer;
  const loader = loaderOf(lake);
  return loader.transaction(
    (tally) => loadRows(ask, decoded, { lake, loader, tally, at, runId, isLastPage }),
    () => {
      forgetRejected(lake, { callId });
      keepOddities(lake, callId, decoded, at);
    },
  );
};

/**
 * Loads one response in one transaction: its rows, its body, what was odd about it, the partitions it
 * touched, and what `within` adds (its call's outcome, its item's `done`, the next page's item).
 * Loading the same response again changes no rows.
 */
export const loadAnswer = (
  lake: Lake,
  { runId, ask, callId, answer, decoded, receivedAt, isLastPage }: AnsweredCall,
  within: (counts: LoadCounts) => void = () => {},
): LoadCounts => {
  const loader = loaderOf(lake);
  const at = decoded.asOf ?? receivedAt;
  return loader.transaction(
    (tally) => loadRows(ask, decoded, { lake, loader, tally, at, runId, isLastPage }),
    (counts) => {
      keepOddities(lake, callId, decoded, receivedAt);
      storeResponse(lake, callId, answer, at);
      within(counts);
    },
  );
};
