import type { Lake } from '../../lake/open.ts';
import { statement } from '../../lake/statements.ts';

/** A new field or shape of a response: a row of table `drift`. */
export interface DriftRow {
  resource: string;
  field: string;
  /** Shortened JSON. Called for stored rows only. */
  sample: () => string;
}

/** New fields of one response that get a row each. All others share one row. */
export const MOST_NEW_FIELDS = 1000;

const LONGEST_FIELD = 256;
const NAMED = 10;

/** Stores new fields, each once. Repeating it changes nothing. Call inside the loading transaction. */
export const storeDrift = (
  lake: Lake,
  rows: readonly DriftRow[],
  { callId, seenAt }: { callId: number | null; seenAt: number },
): void => {
  const insert = statement(
    lake,
    `insert into drift (resource, field, first_seen_at, sample, call_id) values (?, ?, ?, ?, ?)
     on conflict (resource, field) do nothing`,
  );
  const isKnown = statement(lake, 'select 1 from drift where resource = ? and field = ?');
  const met = new Set<string>();
  const beyond: string[] = [];
  let added = 0;
  for (const { resource, field: whole, sample } of rows) {
    const field = whole.slice(0, LONGEST_FIELD);
    const name = `${resource}: ${field}`;
    if (met.has(name)) continue;
    met.add(name);
    if (added < MOST_NEW_FIELDS)
      added += insert.run(resource, field, seenAt, sample(), callId).changes;
    else if (isKnown.get(resource, field) === undefined) beyond.push(name);
  }
  if (beyond.length === 0) return;
  const sample = JSON.stringify({ newFields: beyond.length, first: beyond.slice(0, NAMED) });
  insert.run('response', '(more new fields than are kept)', seenAt, sample, callId);
};
