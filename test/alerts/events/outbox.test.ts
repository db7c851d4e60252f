import { expect, test } from 'vitest';
import { storeEvents } from '../../../src/alerts/events/outbox.ts';
import { madeEvent } from '../webhooks/made-event.ts';
import { freshLake } from './made-lake.ts';

const T0 = Date.UTC(2026, 2, 1);

test('of more events than are stored at once the rest is counted, and stored when it comes again', () => {
  const lake = freshLake();
  const events = Array.from({ length: 5 }, (_, number) => madeEvent(T0, number));
  const store = () => storeEvents(lake, events, { now: T0, most: 3 });
  expect(store()).toMatchObject({ stored: 3, beyond: 2 });
  expect(store()).toMatchObject({ stored: 2, beyond: 0 });
  expect(store()).toMatchObject({ stored: 0, beyond: 0 });
});
