import { gunzipSync, gzipSync } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import { ERASED_MARK } from '../../base/wire/erased-mark.ts';
import { type ErasedWords, erasedText } from '../../ingest/responses/erase-json.ts';
import { erasedOf } from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { staysIn } from './erase-rows.ts';

/** JSON columns that may mention videos and creators of other rows. */
const JSON_COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['rejected_items', 'item'],
  ['drift', 'sample'],
  ['received_hooks', 'body'],
  ['events', 'data'],
  ['analyses', 'result'],
  ['alert_hits', 'row'],
  ['runs', 'summary'],
  ['run_items', 'reason'],
  ['video', 'extra'],
  ['extra_revision', 'fields'],
  ['video_snapshot', 'extra'],
  ['creator', 'extra'],
  ['creator_snapshot', 'extra'],
];

const MARK = JSON.stringify(ERASED_MARK);

export interface EraseOptions {
  readonly clock: Clock;
  readonly upstream?: UpstreamSettings;
  readonly signal?: AbortSignal;
}

/** JSON that mentions subjects, by column, in the rows of a table that a condition names. */
const jsonMentions = (lake: Lake, words: ErasedWords, rowsOf: (table: string) => string) => {
  lake.sqlite.function('erased_text', (text) =>
    typeof text === 'string' ? erasedText(text, words) : (text as null),
  );
  return JSON_COLUMNS.flatMap(([table, column]) => {
    const sql = `select count(*) from ${table} where ${column} is not erased_text(${column}) and ${rowsOf(table)}`;
    const rows = required(prepare(lake.sqlite, sql, 'number').get());
    return rows === 0 ? [] : [{ table, column, rows }];
  });
};

/**
 * Rewrites JSON that mentions erased subjects, a table at a time. Tables without mentions are only
 * read. Safe to repeat. @returns rows by column
 */
export const eraseJsonColumns = (
  lake: Lake,
  { upstream = {} }: EraseOptions,
): Record<string, number>[] => {
  const words = { subjects: erasedOf(lake), upstream };
  return jsonMentions(lake, words, () => '1').map(({ table, column }) => {
    const sql = `update ${table} set ${column} = erased_text(${column}) where ${column} is not erased_text(${column})`;
    return { [table]: lake.sqlite.prepare(sql).run().changes };
  });
};

/** Samples of drift show a value without its video, so those of such calls go. */
export const blankDrift = ({ sqlite }: Lake, calls: readonly number[]): number => {
  const table = 'drift';
  return sqlite
    .prepare(`update ${table} set sample = ? where call_id in (select value from json_each(?))`)
    .run(MARK, JSON.stringify(calls)).changes;
};

const RESPONSES_A_STEP = 50;

/**
 * Rewrites stored responses, in short transactions between which others write. Safe to repeat.
 * @returns how many were rewritten
 */
export const eraseResponses = async (
  lake: Lake,
  { clock, upstream = {}, signal }: EraseOptions,
): Promise<number> => {
  const { sqlite } = lake;
  const words = { subjects: erasedOf(lake), upstream };
  const next = prepare(
    sqlite,
    'select call_id as callId, body from responses where call_id > ? order by call_id limit ?',
    { callId: 'number', body: 'blob' },
  );
  const table = 'responses';
  const update = sqlite.prepare(`update ${table} set body = ? where call_id = ?`);
  let rewritten = 0;
  for (let after = 0; ; ) {
    const some = next.all(after, RESPONSES_A_STEP);
    const changed = some.flatMap(({ callId, body }) => {
      const clean = erasedBytes(body, words);
      return clean === undefined ? [] : [{ callId, clean }];
    });
    sqlite
      .transaction(() => {
        for (const { callId, clean } of changed) rewritten += update.run(clean, callId).changes;
        blankDrift(
          lake,
          changed.map(({ callId }) => callId),
        );
      })
      .immediate();
    const last = some.at(-1);
    if (last === undefined) return rewritten;
    after = last.callId;
    await clock.sleep(0, signal);
  }
};

/** A packed body without erased subjects; undefined if it holds none, or is damaged. */
const erasedBytes = (packed: Buffer, words: ErasedWords): Buffer | undefined => {
  let text: string;
  try {
    text = gunzipSync(packed).toString('utf8');
  } catch {
    return undefined; // nothing can read it
  }
  const clean = erasedText(text, words);
  return clean === text ? undefined : gzipSync(clean, { level: 1 });
};

/**
 * Stored responses and JSON that mention subjects, by column, in rows that are not marked to be
 * removed. Writes nothing.
 */
export const countMentions = (lake: Lake, words: ErasedWords): Record<string, number>[] => {
  const bodies = prepare(
    lake.sqlite,
    `select body from responses where ${staysIn('responses')}`,
    'blob',
  );
  let responses = 0;
  for (const body of bodies.iterate()) if (erasedBytes(body, words) !== undefined) responses += 1;
  const json = jsonMentions(lake, words, staysIn).map(({ table, rows }) => ({ [table]: rows }));
  return [...json, { responses }];
};
