import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Videos, creators and hashtags named by webhooks of the upstream. The next run requests them first.
 *
 * Written by src/alerts/webhooks/wanted-subjects.ts; `taken_at` is set by the run that requested it.
 */
export const wantedSubjects = sqliteTable(
  'wanted_subjects',
  {
    platform: text('platform').notNull(), // empty: not named
    subject: text('subject').notNull(), // as in `events`
    eventId: text('event_id').notNull(), // event that names it
    wantedAt: integer('wanted_at').notNull(), // Unix ms
    takenAt: integer('taken_at'), // Unix ms; null: not requested yet
  },
  (t) => [
    primaryKey({ columns: [t.platform, t.subject] }),
    index('wanted_subjects_taken').on(t.takenAt, t.wantedAt),
  ],
);
