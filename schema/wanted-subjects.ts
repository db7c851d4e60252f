import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Subjects the upstream told of: the next run asks for them first.
 * Written by src/webhooks/wanted-subjects.ts; `taken_at` is set by the run that asked.
 */
export const wantedSubjects = sqliteTable(
  'wanted_subjects',
  {
    platform: text('platform').notNull(), // '' where the event named none
    subject: text('subject').notNull(), // as in table `events`
    eventId: text('event_id').notNull(), // the event that names it
    wantedAt: integer('wanted_at').notNull(), // Unix ms
    takenAt: integer('taken_at'), // Unix ms; null: not asked for yet
  },
  (t) => [
    primaryKey({ columns: [t.platform, t.subject] }),
    index('wanted_subjects_taken').on(t.takenAt, t.wantedAt),
  ],
);
