import type { Lake } from '../../lake/open.ts';
import { statement } from '../../lake/statements.ts';

/** A field or shape nobody announced, as table `drift` keeps it. */
export interface DriftRow {
  resource: string;
  field: string;
  /** JSON, cut; made only of what is kept. */
  sample: () => string;
}

/** New fields of one response that get a row each; what else is new in it is one row. */
export const MOST_NEW_FIELDS = 1000;

const LONGEST_FIELD = 256;
const NAMED = 10;

/**
 * Keeps what was met for the first time, each field once, under the call or the instant that showed
 * it. The same again changes nothing. Call it inside the transaction that loads the response.
 */
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
