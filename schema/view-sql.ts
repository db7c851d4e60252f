import { type SQL, sql } from 'drizzle-orm';
import { SOURCES } from './vocabulary.ts';

// Expressions of views. Each is cast, because SQLite reports a type only for cast columns.

/** A stored source code as its word. */
export const sourceWord = (column: string): SQL =>
  sql.raw(
    `cast(case ${column} ${SOURCES.map((source, code) => `when ${code} then '${source}'`).join(' ')} end as text)`,
  );

/** Unix milliseconds as ISO 8601 text in UTC. */
export const isoTime = (column: string): SQL =>
  sql.raw(`cast(strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch') as text)`);

/** Unix milliseconds as the day in UTC, `YYYY-MM-DD`. */
export const isoDate = (column: string): SQL =>
  sql.raw(`cast(strftime('%Y-%m-%d', ${column} / 1000.0, 'unixepoch') as text)`);

/** Engagement rate of a snapshot: as pulled, or computed from its counts. */
export const snapshotRate = sql.raw(
  'cast(coalesce(s.engagement_rate, 100.0 * s.likes / nullif(s.views, 0)) as real)',
);
