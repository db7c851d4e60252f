import type { EventKind } from '../../../schema/vocabulary.ts';
import type { Clock } from '../../base/clock.ts';
import { HOUR_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { byOccurrence, eventsFound } from './detect.ts';
import type { TrendEvent } from './event.ts';
import { type StoreCounts, storableEvent, storeEvents } from './outbox.ts';
import { type AllThresholds, THRESHOLDS } from './thresholds.ts';

/**
 * Examined twice, so that responses true at a moment before the last detection and loaded after it
 * count.
 */
const OVERLAP_MS = 2 * HOUR_MS;

/** Most events of one run; each may go to every subscription. */
const MOST_EVENTS = 2000;

/** Events of one kind that one detection stores at most; a lake of millions may have more. */
export const MOST_OF_A_KIND = 10_000;

/** The newest events of each kind, oldest first, and how many older ones are left out. */
const newestOf = (
  found: Iterable<TrendEvent>,
  most: number,
): { events: TrendEvent[]; left: number } => {
  const byKind = new Map<EventKind, TrendEvent[]>();
  let left = 0;
  const trim = (events: TrendEvent[]): void => {
    const surplus = Math.max(0, events.length - most);
    events.sort(byOccurrence).splice(0, surplus);
    left += surplus;
  };
  for (const event of found) {
    const events = byKind.get(event.kind) ?? [];
    byKind.set(event.kind, events);
    if (events.push(event) >= 2 * most) trim(events);
  }
  for (const events of byKind.values()) trim(events);
  return { events: [...byKind.values()].flat().sort(byOccurrence), left };
};

/** Result of one detection. */
export interface NoticeSummary extends StoreCounts {
  /** The span examined, Unix ms. `from` is 0 for the first detection over a lake. */
  readonly from: number;
  readonly to: number;
  /** Events older than those stored, of kinds that had more than one detection stores. */
  readonly left: number;
}

const detectedUntil = (lake: Lake): number | undefined =>
  prepare(
    lake.sqlite,
    `select looked_until from event_progress where name = 'detectors'`,
    'number',
  ).get();

/** Oldest observation of the files imported after an instant, Unix ms; undefined without one. */
const importedSince = (lake: Lake, after: number): number | undefined =>
  prepare(
    lake.sqlite,
    'select min(oldest_at) from import_progress where finished_at > ?',
    'number?',
  ).get(after) ?? undefined;

/**
 * Detects events in what the lake learnt since the last detection, stores them and queues their
 * deliveries, in imports also what is older. Call it after each sync, outside of any transaction. The first detection over a lake stores what its history holds and sends nothing.
 * Safe to run twice, and in two processes at once.
 * @param most of one kind the newest so many are stored, the rest is counted
 */
export const noticeEvents = (
  lake: Lake,
  {
    clock,
    thresholds = THRESHOLDS,
    most = MOST_OF_A_KIND,
  }: {
    clock: Clock;
    thresholds?: AllThresholds;
    most?: number;
  },
): NoticeSummary => {
  const now = clock.now();
  const before = detectedUntil(lake);
  const imported = before === undefined ? undefined : importedSince(lake, before);
  const from =
    before === undefined ? 0 : Math.max(0, Math.min(before - OVERLAP_MS, imported ?? Infinity));
  const { events, left } = newestOf(eventsFound(lake, { from, to: now, thresholds }), most);
  const counts = lake.sqlite
    .transaction(() => {
      lake.sqlite
        .prepare(
          `insert into event_progress (name, looked_until) values ('detectors', ?)
           on conflict do update set looked_until = max(looked_until, excluded.looked_until)`,
        )
        .run(now);
      return storeEvents(lake, events.map(storableEvent), {
        now,
        ...(before === undefined ? { silentUntil: now } : {}),
        // what a history holds is bounded by it; what a service responds today is not
        ...(before === undefined || imported !== undefined ? {} : { most: MOST_EVENTS }),
      });
    })
    .immediate();
  return { from, to: now, left, ...counts };
};
