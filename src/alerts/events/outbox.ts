import { type EventKind, PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { dateOf, isoOf } from '../../base/iso.ts';
import { foldName } from '../../base/wire/folding.ts';
import { erasedOf } from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { markTouched } from '../../lake/touched-partitions.ts';
import { tagsOfSubject } from '../../lake/watches/watches.ts';
import { type Listener, queueDelivery, removeDeliveriesOfEventsAfter } from './delivery-queue.ts';
import { eventData, subjectText, type TrendEvent } from './event.ts';

/** Filter of a subscription; an empty list restricts nothing. */
export interface SubscriptionFilter {
  readonly events: readonly EventKind[];
  readonly platforms: readonly Platform[];
  /** `<kind>:<id>`, or an id alone: a handle, a tag, a video. */
  readonly subjects: readonly string[];
  /** Tags of watches; absent in subscriptions made before there were any. */
  readonly tags?: readonly string[];
}

/** An event as table `events` keeps it; `data` is the delivered `data`. */
export interface StorableEvent {
  readonly id: string;
  readonly kind: EventKind;
  readonly platform: Platform | null;
  readonly subject: string;
  readonly occurredAt: number;
  readonly origin: 'trendlake' | 'upstream';
  readonly data: Record<string, unknown> & { readonly tags?: readonly string[] };
}

/** Events older than this when noticed are kept, not sent: nobody waits for them any more. */
const LATE_AFTER_MS = DAY_MS;

export const storableEvent = (event: TrendEvent): StorableEvent => ({
  id: event.id,
  kind: event.kind,
  platform: event.platform,
  subject: subjectText(event.subject),
  occurredAt: event.occurredAt,
  origin: 'trendlake',
  data: eventData(event),
});

/** True when the subscription wants this event. An event over all platforms fits every platform. */
const wants = (filter: SubscriptionFilter, event: StorableEvent): boolean => {
  const subject = foldName(event.subject);
  const id = subject.slice(subject.indexOf(':') + 1);
  return (
    (filter.events.length === 0 || filter.events.includes(event.kind)) &&
    (filter.platforms.length === 0 ||
      event.platform === null ||
      filter.platforms.includes(event.platform)) &&
    (filter.subjects.length === 0 ||
      filter.subjects.some((wanted) => [subject, id].includes(foldName(wanted)))) &&
    (filter.tags === undefined ||
      filter.tags.length === 0 ||
      filter.tags.some((tag) => event.data.tags?.includes(foldName(tag)) === true))
  );
};

/** True of an event whose subject was erased. */
export const isOfErased = (lake: Lake, { subject, platform }: StorableEvent): boolean => {
  const erased = erasedOf(lake);
  const id = subject.slice(subject.indexOf(':') + 1);
  if (subject.startsWith('video:')) return erased.drops({ kind: 'video', id });
  return (
    subject.startsWith('creator:') &&
    (platform === null ? PLATFORMS : [platform]).some((name) =>
      erased.drops({ kind: 'creator', platform: name, handle: id }),
    )
  );
};

/** The event with the tags of watches that cover its subject, if there are any. */
const withTags = (lake: Lake, event: StorableEvent): StorableEvent => {
  const [kind = '', ...id] = event.subject.split(':');
  if (kind !== 'video' && kind !== 'creator' && kind !== 'hashtag') return event;
  const tags = tagsOfSubject(lake, { kind, id: id.join(':'), platform: event.platform });
  return tags.length === 0 ? event : { ...event, data: { ...event.data, tags } };
};

/** Result of storing. */
export interface StoreCounts {
  /** Events that were not there yet. */
  readonly stored: number;
  /** Of those, too old to send. */
  readonly late: number;
  /** Deliveries queued. */
  readonly queued: number;
  /** Events that were not there yet and were more than are stored at once. */
  readonly beyond: number;
}

interface FilteredListener extends Listener {
  readonly filter: SubscriptionFilter;
}

const listeners = (lake: Lake): FilteredListener[] =>
  prepare(
    lake.sqlite,
    'select id, filter, paused_until as pausedUntil from subscriptions where disabled_at is null',
    { id: 'text', filter: 'text', pausedUntil: 'number?' },
  )
    .all()
    .map((row) => ({ ...row, filter: JSON.parse(row.filter) as SubscriptionFilter }));

/**
 * Stores events that are not there yet, marks their Parquet partitions and queues a delivery for
 * every subscription that wants them: together, in the caller's transaction or in a new one. Safe to run twice: an event that is there changes nothing and is not queued again.
 * @param most events stored at once; the rest is counted, and stored where it is noticed again
 * @param silentUntil events that occurred at or before this instant are not sent
 */
export const storeEvents = (
  lake: Lake,
  events: readonly StorableEvent[],
  {
    now,
    silentUntil = now - LATE_AFTER_MS,
    most = Number.POSITIVE_INFINITY,
  }: { now: number; silentUntil?: number; most?: number },
): StoreCounts => {
  const insert = lake.sqlite.prepare(
    `insert into events (id, kind, platform, subject, occurred_at, detected_at, origin, data)
     values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
  );
  const isThere = lake.sqlite.prepare('select 1 from events where id = ?');
  const counts = { stored: 0, late: 0, queued: 0, beyond: 0 };
  const store = (): void => {
    const waiting = listeners(lake);
    const dates = new Set<string>();
    for (const found of events) {
      const event = withTags(lake, found);
      const { id, kind, platform, subject, occurredAt, origin, data } = event;
      if (counts.stored >= most) {
        if (isThere.get(id) === undefined) counts.beyond += 1;
        continue;
      }
      const fresh = insert.run(
        id,
        kind,
        platform,
        subject,
        occurredAt,
        now,
        origin,
        JSON.stringify(data),
      );
      if (fresh.changes === 0) continue;
      counts.stored += 1;
      dates.add(dateOf(occurredAt));
      if (occurredAt <= silentUntil) {
        counts.late += 1;
        continue;
      }
      for (const listener of waiting)
        if (wants(listener.filter, event)) counts.queued += queueDelivery(lake, id, listener, now);
    }
    for (const date of dates) markTouched(lake, 'events', date);
  };
  if (lake.sqlite.inTransaction) store();
  else lake.sqlite.transaction(store).immediate();
  return counts;
};

/** The delivered body of a stored event: `{type, timestamp, data}`, byte for byte the same each time. */
export const deliveryBody = (event: {
  kind: string;
  occurredAt: number;
  data: string; // JSON, as stored
}): string =>
  `{"type":${JSON.stringify(event.kind)},"timestamp":"${isoOf(event.occurredAt)}","data":${event.data}}`;

/** Removes events that occurred after an instant (Unix ms), with their deliveries. @returns how many */
export const removeEventsAfter = (lake: Lake, after: number): number => {
  removeDeliveriesOfEventsAfter(lake, after);
  return lake.sqlite.prepare('delete from events where occurred_at > ?').run(after).changes;
};
