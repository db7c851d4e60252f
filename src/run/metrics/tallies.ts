import { EVENT_KINDS } from '../../../schema/vocabulary.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { COUNTED_TABLES, rowsOf } from '../../lake/read/volumes.ts';

/** Counts of whole tables. Instants are Unix ms. */
export interface Tallies {
  runs: { outcome: string; runs: number; lastAt: number | null }[];
  rows: { table: string; rows: number }[];
  rejected: number;
  drift: number;
  /** Unknown kinds are `other`. */
  events: { kind: string; events: number }[];
  deliveries: { state: string; deliveries: number }[];
}

const RUNS = `
  select outcome, count(*) as runs, max(finished_at) as lastAt from runs group by outcome`;

const EVENTS = `
  select iif(kind in (${EVENT_KINDS.map((kind) => `'${kind}'`).join()}), kind, 'other') as kind,
    count(*) as events
  from events group by 1`;

/** Counts a lake. The time grows with its size, so do not call it at every scrape. */
export const tallyLake = ({ sqlite }: Lake): Tallies => {
  const count = (table: string): number =>
    required(prepare(sqlite, `select count(*) from ${table}`, 'number').get());
  return {
    runs: prepare(sqlite, RUNS, { outcome: 'text', runs: 'number', lastAt: 'number?' }).all(),
    rows: COUNTED_TABLES.map((table) => ({ table, rows: rowsOf({ sqlite }, table) })),
    rejected: count('rejected_items'),
    drift: count('drift'),
    events: prepare(sqlite, EVENTS, { kind: 'text', events: 'number' }).all(),
    deliveries: prepare(
      sqlite,
      'select state, count(*) as deliveries from deliveries group by state',
      { state: 'text', deliveries: 'number' },
    ).all(),
  };
};
