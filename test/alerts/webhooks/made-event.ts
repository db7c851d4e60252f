import { eventOf } from '../../../src/alerts/events/event.ts';
import { type StorableEvent, storableEvent } from '../../../src/alerts/events/outbox.ts';

/** An event that occurred at `at`, the `number`th of its video. */
export const madeEvent = (at: number, number = 0): StorableEvent =>
  storableEvent(
    eventOf(
      { kind: 'trend.spike', platform: 'tiktok', subject: { kind: 'video', id: `tt_${number}` } },
      {
        window: { from: at - 1000, to: at },
        evidence: { views: 12_345, note: 'ünïcode \u2028 🎉' },
      },
    ),
  );
