import type { EventKind, Platform } from '../../../schema/vocabulary.ts';
import { isoOf } from '../../base/iso.ts';
import { foldName } from '../../base/wire/folding.ts';
import type { Lake } from '../open.ts';
import { required } from '../prepare.ts';
import { prepared } from '../statements.ts';
import type { Paging } from './list-page.ts';

/** One noticed event as stored; instants in Unix ms, `data` parsed. */
export interface StoredEvent {
  readonly id: string;
  readonly kind: EventKind;
  readonly platform: Platform | null;
  readonly subject: string;
  readonly occurredAt: number;
  readonly detectedAt: number;
  readonly origin: string;
  readonly data: unknown;
}

/** Events noticed by `asOf` that occurred from `since` to `until` (default: `asOf`). Unix ms. */
export interface EventsQuery extends Paging {
  readonly kind?: EventKind | undefined;
  readonly platform?: Platform | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Tag of a watch that covered the subject when the event was detected. */
  readonly tag?: string | undefined;
  readonly asOf: number;
}

const HAS_TAG = "exists (select 1 from json_each(data, '$.tags') where value = @tag)";
const OCCURRED = 'occurred_at <= @until and occurred_at >= @since';
/** By platform where one is wanted: those of the others are not passed through. */
const matching = ({ platform }: EventsQuery): string =>
  `from events where detected_at <= @asOf and ${OCCURRED} and (@kind is null or kind = @kind)
  and ${platform === undefined ? '@platform is null' : 'platform = @platform'}
  and (@tag is null or ${HAS_TAG})`;
const COLUMNS =
  'id, kind, platform, subject, occurred_at as occurredAt, detected_at as detectedAt, origin, data';

type StoredRow = Omit<StoredEvent, 'data'> & { data: string };

const ROW = {
  id: 'text',
  kind: 'text',
  platform: 'text?',
  subject: 'text',
  occurredAt: 'number',
  detectedAt: 'number',
  origin: 'text',
  data: 'text',
} as const;

const storedEvent = (row: StoredRow): StoredEvent => ({
  ...row,
  data: JSON.parse(row.data) as unknown,
});

const boundsOf = ({ asOf, since, until, kind, platform, tag }: EventsQuery) => ({
  asOf,
  since: since ?? 0,
  until: until ?? asOf,
  kind: kind ?? null,
  platform: platform ?? null,
  tag: tag === undefined ? null : foldName(tag),
});

/** A page of what had been noticed by `asOf`, newest first, without counting all of it. */
export const newestEvents = (lake: Lake, query: EventsQuery): StoredEvent[] => {
  const { limit, page } = query;
  const sql = `select ${COLUMNS} ${matching(query)} order by occurred_at desc, id limit @limit offset @offset`;
  const rows = prepared<StoredRow>(lake, sql, ROW).all({
    ...boundsOf(query),
    limit,
    offset: (page - 1) * limit,
  });
  return rows.map(storedEvent);
};

/** `GET /events`: what had been noticed by `asOf`, newest first, and how much there is. */
export const eventsPage = (
  lake: Lake,
  query: EventsQuery,
): { total: number; items: StoredEvent[] } => {
  const count = prepared(lake, `select count(*) ${matching(query)}`, 'number');
  const total = required(count.get(boundsOf(query)));
  return { total, items: (query.page - 1) * query.limit < total ? newestEvents(lake, query) : [] };
};

/** Number of events in the span, up to `most`: the cost of counting. */
export const eventsAtMost = (lake: Lake, query: EventsQuery, most: number): number => {
  const { since, until } = boundsOf(query);
  const counted = `select count(*) from (select 1 from events where ${OCCURRED} limit @most)`;
  return required(prepared(lake, counted, 'number').get({ since, until, most }));
};

/** An instant (Unix ms) by which every event was noticed. */
export const ALL_NOTICED = Number.MAX_SAFE_INTEGER;

/** Every event that occurred at `since` (Unix ms) or later as it is shown, oldest first, one at a time. */
export function* eventsSince(lake: Lake, since: number, tag?: string): Generator<ShownEvent> {
  const query = { since, tag, asOf: ALL_NOTICED, limit: 0, page: 1 };
  const sql = `select ${COLUMNS} ${matching(query)} order by occurred_at, id`;
  for (const row of prepared<StoredRow>(lake, sql, ROW).iterate(boundsOf(query)))
    yield shownEvent(storedEvent(row));
}

export type ShownEvent = ReturnType<typeof shownEvent>;

/** An event as the interface lists it: instants ISO 8601. */
export const shownEvent = ({ occurredAt, detectedAt, ...event }: StoredEvent) => ({
  ...event,
  occurredAt: isoOf(occurredAt),
  detectedAt: isoOf(detectedAt),
});
