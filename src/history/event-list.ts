import type { EventKind, Platform } from '../../schema/vocabulary.ts';
import { isoOf } from '../iso.ts';
import type { Lake } from '../lake/open.ts';
import { prepare, present } from '../lake/prepare.ts';
import { prepared } from '../lake/statements.ts';

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

const MATCHING = `from events where detected_at <= @asOf and occurred_at <= @until and occurred_at >= @since
  and (@kind is null or kind = @kind) and (@platform is null or platform = @platform)`;
const COLUMNS =
  'id, kind, platform, subject, occurred_at as occurredAt, detected_at as detectedAt, origin, data';
const PAGE = `select ${COLUMNS} ${MATCHING} order by occurred_at desc, id limit @limit offset @offset`;
const COUNT = `select count(*) ${MATCHING}`;

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

/**
 * `GET /events`: what had been noticed by `asOf`, newest first. `until`: what occurred by then; by
 * `asOf` unless given.
 */
export const eventsPage = (
  lake: Lake,
  query: {
    kind?: EventKind;
    platform?: Platform;
    since?: number;
    until?: number;
    limit: number;
    page: number;
    asOf: number;
  },
): { total: number; items: StoredEvent[] } => {
  const matching = {
    asOf: query.asOf,
    since: query.since ?? 0,
    until: query.until ?? query.asOf,
    kind: query.kind ?? null,
    platform: query.platform ?? null,
  };
  const total = present(prepared(lake, COUNT, 'number').get(matching));
  const offset = (query.page - 1) * query.limit;
  if (offset >= total) return { total, items: [] };
  const rows = prepared<StoredRow>(lake, PAGE, ROW).all({
    ...matching,
    limit: query.limit,
    offset,
  });
  return { total, items: rows.map(storedEvent) };
};

/** Every event that occurred at `since` (Unix ms) or later, oldest first. */
export const eventsSince = ({ sqlite }: Lake, since: number): StoredEvent[] =>
  prepare<StoredRow>(
    sqlite,
    `select ${COLUMNS} from events where occurred_at >= ? order by occurred_at, id`,
    ROW,
  )
    .all(since)
    .map(storedEvent);

/** An event as people and the interface see it: instants ISO 8601. */
export type ShownEvent = ReturnType<typeof shownEvent>;

/** An event as the interface lists it: instants ISO 8601. */
export const shownEvent = ({ occurredAt, detectedAt, ...event }: StoredEvent) => ({
  ...event,
  occurredAt: isoOf(occurredAt),
  detectedAt: isoOf(detectedAt),
});
