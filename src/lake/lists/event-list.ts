import type { EventKind, Platform } from '../../../schema/vocabulary.ts';
import { isoOf } from '../../base/iso.ts';
import type { Lake } from '../open.ts';
import { prepare, required } from '../prepare.ts';
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

/** Which events are meant: noticed by `asOf`, occurred from `since` to `until` (`asOf` unless given). Unix ms. */
export interface EventsQuery extends Paging {
  readonly kind?: EventKind | undefined;
  readonly platform?: Platform | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly asOf: number;
}

const OCCURRED = 'occurred_at <= @until and occurred_at >= @since';
/** By platform where one is wanted: those of the others are not passed through. */
const matching = ({ platform }: EventsQuery): string =>
  `from events where detected_at <= @asOf and ${OCCURRED} and (@kind is null or kind = @kind)
  and ${platform === undefined ? '@platform is null' : 'platform = @platform'}`;
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

const boundsOf = ({ asOf, since, until, kind, platform }: EventsQuery) => ({
  asOf,
  since: since ?? 0,
  until: until ?? asOf,
  kind: kind ?? null,
  platform: platform ?? null,
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

/** How many events occurred in the span that is meant, counted up to `most`: what counting costs. */
export const eventsAtMost = (lake: Lake, query: EventsQuery, most: number): number => {
  const { since, until } = boundsOf(query);
  const counted = `select count(*) from (select 1 from events where ${OCCURRED} limit @most)`;
  return required(prepared(lake, counted, 'number').get({ since, until, most }));
};

const SINCE = `select ${COLUMNS} from events where occurred_at >= ? order by occurred_at`;

/** Every event that occurred at `since` (Unix ms) or later as it is shown, oldest first, one at a time. */
export function* eventsSince({ sqlite }: Lake, since: number): Generator<ShownEvent> {
  for (const row of prepare<StoredRow>(sqlite, `${SINCE}, id`, ROW).iterate(since))
    yield shownEvent(storedEvent(row));
}

/** The newest `most` of them, oldest first, and how many there are. */
export const lastEventsSince = (
  { sqlite }: Lake,
  since: number,
  most: number,
): { total: number; items: StoredEvent[] } => {
  const count = 'select count(*) from events where occurred_at >= ?';
  const total = required(prepare(sqlite, count, 'number').get(since));
  const last = prepare<StoredRow>(sqlite, `${SINCE} desc, id desc limit ?`, ROW).all(since, most);
  return { total, items: last.reverse().map(storedEvent) };
};

/** An event as people and the interface see it: instants ISO 8601. */
export type ShownEvent = ReturnType<typeof shownEvent>;

/** An event as the interface lists it: instants ISO 8601. */
export const shownEvent = ({ occurredAt, detectedAt, ...event }: StoredEvent) => ({
  ...event,
  occurredAt: isoOf(occurredAt),
  detectedAt: isoOf(detectedAt),
});
