import { EVENT_KINDS, type EventKind } from '../../../schema/vocabulary.ts';
import type { Lake } from '../../lake/open.ts';
import { type CreatorName, creatorPasts, creatorsToJudge } from './creator-history.ts';
import { creatorVirals } from './creator-viral.ts';
import { eventOf, type TrendEvent, type Window } from './event.ts';
import { forecastHistory } from './forecast-spike.ts';
import { hashtagRises } from './hashtag-rising.ts';
import { listHistory, tagHistories } from './list-history.ts';
import { nicheBreakouts } from './niche-breakout.ts';
import { creatorSubject, hashtagSubject, videoSubject } from './subject-url.ts';
import { type AllThresholds, THRESHOLDS } from './thresholds.ts';
import { FEWEST_SNAPSHOTS, SPIKE_LOOKBACK_MS, trendSpikes } from './trend-spike.ts';
import { chunks, factsOf, keysSeenIn, snapshotReader } from './video-history.ts';

/** Span to examine: observations after `from`, up to and including `to` (Unix ms). */
export interface DetectOptions extends Window {
  readonly kinds?: readonly EventKind[];
  readonly thresholds?: AllThresholds;
}

function* spikes(
  lake: Lake,
  keys: readonly number[],
  span: Window,
  limits: AllThresholds,
): Generator<TrendEvent> {
  const snapshotsOf = snapshotReader(lake.sqlite);
  const statedOf = forecastHistory(lake.sqlite, limits);
  for (const part of chunks(keys)) {
    const past = { from: span.from - SPIKE_LOOKBACK_MS, to: span.to };
    const snapshots = snapshotsOf(part, past);
    const stated = statedOf(part, past);
    const judged = part.filter(
      (key) => stated.has(key) || (snapshots.get(key)?.length ?? 0) >= FEWEST_SNAPSHOTS,
    );
    for (const { key, id, platform, user, createdAt } of factsOf(lake.sqlite, judged)) {
      const found = trendSpikes(
        { snapshots: snapshots.get(key) ?? [], createdAt, stated: stated.get(key) ?? [] },
        span,
        limits[platform].spike,
      );
      const subject = videoSubject(id, platform, user);
      for (const spike of found) yield eventOf({ kind: 'trend.spike', platform, subject }, spike);
    }
  }
}

function* virals(
  lake: Lake,
  creators: Iterable<CreatorName>,
  span: Window,
  limits: AllThresholds,
): Generator<TrendEvent> {
  for (const [{ platform, user }, past] of creatorPasts(lake.sqlite, creators, span, limits)) {
    const subject = creatorSubject(user, platform);
    for (const event of creatorVirals(past, span, limits[platform].creator))
      yield eventOf({ kind: 'creator.viral', platform, subject }, event);
  }
}

function* rises(lake: Lake, span: Window, limits: AllThresholds): Generator<TrendEvent> {
  for (const { tag, platform: named, snapshots } of tagHistories(lake.sqlite, span)) {
    const platform = named === '' ? null : named;
    // for responses over all platforms, the limits of the platform with the most tags apply
    const found = hashtagRises(snapshots, span, limits[platform ?? 'tiktok'].hashtag);
    const subject = hashtagSubject(tag, platform);
    for (const rise of found) yield eventOf({ kind: 'hashtag.rising', platform, subject }, rise);
  }
}

function* breakouts(lake: Lake, span: Window, limits: AllThresholds): Generator<TrendEvent> {
  for (const [platform, captures] of listHistory(lake.sqlite, span))
    for (const { id, window, evidence } of nicheBreakouts(captures, span, limits[platform].niche))
      yield eventOf(
        { kind: 'niche.breakout', platform, subject: { kind: 'niche', id } },
        { window, evidence },
      );
}

/**
 * Events of the wanted kinds inside a span, over the current lake, one at a time. Holds the keys of
 * all videos in the span and the snapshots of some thousand. Writes nothing and works on a read-only
 * lake.
 */
export function* eventsFound(
  lake: Lake,
  { from, to, kinds = EVENT_KINDS, thresholds = THRESHOLDS }: DetectOptions,
): Generator<TrendEvent> {
  const span = { from, to };
  const wanted = new Set(kinds);
  if (wanted.has('trend.spike') || wanted.has('creator.viral')) {
    const keys = keysSeenIn(lake.sqlite, span);
    if (wanted.has('trend.spike')) yield* spikes(lake, keys, span, thresholds);
    if (wanted.has('creator.viral'))
      yield* virals(lake, creatorsToJudge(lake.sqlite, keys, span, thresholds), span, thresholds);
  }
  if (wanted.has('hashtag.rising')) yield* rises(lake, span, thresholds);
  if (wanted.has('niche.breakout')) yield* breakouts(lake, span, thresholds);
}

/** Oldest first; of one instant by id. */
export const byOccurrence = (a: TrendEvent, b: TrendEvent): number =>
  a.occurredAt - b.occurredAt || (a.id < b.id ? -1 : 1);

/**
 * All of `eventsFound`, oldest first. The same history gives the same events, in the same order,
 * whether a span is looked at in one go or piece by piece.
 */
export const detectEvents = (lake: Lake, options: DetectOptions): TrendEvent[] =>
  [...eventsFound(lake, options)].sort(byOccurrence);
