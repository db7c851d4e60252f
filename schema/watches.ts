import { sql } from 'drizzle-orm';
import { check, index, integer, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import { WATCH_KINDS, type WatchKind } from './vocabulary.ts';

/**
 * Creators, videos, hashtags and searches that people follow. The job `watch` requests what is due.
 *
 * Written by src/lake/watches/watches.ts.
 */
export const watches = sqliteTable(
  'watches',
  {
    id: text('id').primaryKey(), // `w_` and 12 hex digits
    kind: text('kind').$type<WatchKind>().notNull(),
    platform: text('platform').notNull(), // empty: all platforms (hashtags and searches)
    subject: text('subject').notNull(), // handle without `@`, video id, tag without `#`, or search words
    everyMs: integer('every_ms').notNull(), // longest time between two requests
    note: text('note'),
    createdAt: integer('created_at').notNull(), // Unix ms
    until: integer('until'), // Unix ms; not requested from then on
    pausedAt: integer('paused_at'), // Unix ms; null: active
    pausedReason: text('paused_reason'), // such as 404
    lastAt: integer('last_at'), // Unix ms of its newest observation
    nextAt: integer('next_at').notNull(), // Unix ms; due from then on
  },
  (t) => [
    check(
      'watches_kind',
      sql`${t.kind} in (${sql.raw(WATCH_KINDS.map((kind) => `'${kind}'`).join(', '))})`,
    ),
    unique('watches_subject').on(t.kind, t.platform, t.subject),
    index('watches_next_at').on(t.nextAt),
  ],
);
