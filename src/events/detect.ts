import { EVENT_KINDS, type EventKind, type Platform } from '../../schema/vocabulary.ts';
import type { Lake } from '../lake/open.ts';
import { creatorHistory, creatorsToJudge } from './creator-history.ts';
import { creatorVirals } from './creator-viral.ts';
import { eventOf, type TrendEvent, type Window } from './event.ts';
import { forecastHistory } from './forecast-history.ts';
import { hashtagRises } from './hashtag-rising.ts';
import { listHistory, tagHistories } from './list-history.ts';
import { nicheBreakouts } from './niche-breakout.ts';
import { creatorSubject, hashtagSubject, videoSubject } from './subject-url.ts';
import { THRESHOLDS, type Thresholds } from './thresholds.ts';
import { SPIKE_LOOKBACK_MS, trendSpikesWithForecasts } from './trend-spike.ts';
import { chunks, factsOf, keysSeenIn, looksOf } from './video-history.ts';

/** What to look at: observations after `from`, up to and including `to` (Unix ms). */
export interface DetectAsk extends Window {
  readonly kinds?: readonly EventKind[];
  readonly thresholds?: Readonly<Record<Platform, Thresholds>>;
}

type Limits = Readonly<Record<Platform, Thresholds>>;

const spikes = (
  lake: Lake,
  keys: readonly number[],
  span: Window,
  limits: Limits,
): TrendEvent[] => {
  const saidOf = forecastHistory(lake.sqlite, limits);
  return [...chunks(keys)].flatMap((part) => {
    const past = { from: span.from - SPIKE_LOOKBACK_MS, to: span.to };
    const looks = looksOf(lake.sqlite, part, past);
    const said = saidOf(part, past);
    return factsOf(lake.sqlite, part).flatMap(({ key, id, platform, user, createdAt }) => {
      const found = trendSpikesWithForecasts(
        ...([looks.get(key) ?? [], createdAt, span, limits[platform].spike] as const),
        said.get(key) ?? [],
      );
      if (found.length === 0) return [];
      const subject = videoSubject(id, platform, user);
      return found.map((one) => eventOf({ kind: 'trend.spike', platform, subject }, one));
    });
  });
};

const virals = (
  lake: Lake,
  keys: readonly number[],
  span: Window,
  limits: Limits,
): TrendEvent[] => {
  const pastOf = creatorHistory(lake.sqlite, span, limits);
  return creatorsToJudge(lake.sqlite, keys, span, limits).flatMap((creator) => {
    const { platform, user } = creator;
    const subject = creatorSubject(user, platform);
    return creatorVirals(pastOf(creator), span, limits[platform].creator).map((one) =>
      eventOf({ kind: 'creator.viral', platform, subject }, one),
    );
  });
};

const rises = (lake: Lake, span: Window, limits: Limits): TrendEvent[] =>
  tagHistories(lake.sqlite, span).flatMap(({ tag, platform: named, looks }) => {
    const platform = named === '' ? null : named;
    // Where an answer covers all platforms, those of the one that lives by its tags stand for all.
    const found = hashtagRises(looks, span, limits[platform ?? 'tiktok'].hashtag);
    const subject = hashtagSubject(tag, platform);
    return found.map((one) => eventOf({ kind: 'hashtag.rising', platform, subject }, one));
  });

const breakouts = (lake: Lake, span: Window, limits: Limits): TrendEvent[] =>
  [...listHistory(lake.sqlite, span)].flatMap(([platform, looks]) =>
    nicheBreakouts(looks, span, limits[platform].niche).map(({ id, window, evidence }) =>
      eventOf(
        { kind: 'niche.breakout', platform, subject: { kind: 'niche', id } },
        { window, evidence },
      ),
    ),
  );

/**
 * What happened inside a span, by the four rules, over what the lake holds now. Writes nothing and
 * works on a lake opened for reading. The same history gives the same events, in the same order,
 * whether a span is looked at in one go or piece by piece.
 */
export const detectEvents = (
  lake: Lake,
  { from, to, kinds = EVENT_KINDS, thresholds = THRESHOLDS }: DetectAsk,
): TrendEvent[] => {
  const span = { from, to };
  const asked = new Set(kinds);
  const ofVideos = asked.has('trend.spike') || asked.has('creator.viral');
  const keys = ofVideos ? keysSeenIn(lake.sqlite, span) : [];
  return [
    ...(asked.has('trend.spike') ? spikes(lake, keys, span, thresholds) : []),
    ...(asked.has('creator.viral') ? virals(lake, keys, span, thresholds) : []),
    ...(asked.has('hashtag.rising') ? rises(lake, span, thresholds) : []),
    ...(asked.has('niche.breakout') ? breakouts(lake, span, thresholds) : []),
  ].sort((a, b) => a.occurredAt - b.occurredAt || (a.id < b.id ? -1 : 1));
};
