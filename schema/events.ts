import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { EventKind } from './vocabulary.ts';

/**
 * Detected events. The id is a hash of kind, platform, subject and window, so the same history gives
 * the same ids.
 *
 * Written by src/alerts/events/outbox.ts. Source: detectors over the lake (`origin` = `trendlake`) or
 * webhooks of the upstream.
 */
export const events = sqliteTable(
  'events',
  {
    id: text('id').primaryKey(),
    kind: text('kind').$type<EventKind>().notNull(),
    platform: text('platform'), // null: all platforms
    subject: text('subject').notNull(), // `video:<id>`, `creator:<handle>`, `hashtag:<tag>`, `niche:<id>`
    occurredAt: integer('occurred_at').notNull(), // Unix ms; end of the window
    detectedAt: integer('detected_at').notNull(), // Unix ms
    origin: text('origin').notNull(), // `trendlake` or `upstream`
    data: text('data').notNull(), // JSON: id, platform, subject, window, evidence
  },
  (t) => [
    index('events_occurred_at').on(t.occurredAt),
    index('events_detected_at').on(t.detectedAt),
    index('events_platform').on(t.platform, t.occurredAt),
    index('events_subject').on(t.subject),
  ],
);
