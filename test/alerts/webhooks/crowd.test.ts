import { describe, expect, test, vi } from 'vitest';
import { storeEvents } from '../../../src/alerts/events/outbox.ts';
import { dueEndpoints } from '../../../src/alerts/webhooks/deliveries.ts';
import { Dispatcher } from '../../../src/alerts/webhooks/dispatcher.ts';
import type { Letter } from '../../../src/alerts/webhooks/guarded-connections.ts';
import type { DeliveryAttempt, Poster } from '../../../src/alerts/webhooks/post.ts';
import { flushDeliveries } from '../../../src/alerts/webhooks/sender.ts';
import { readWish } from '../../../src/alerts/webhooks/subscription-wish.ts';
import {
  addSubscription,
  noteHealth,
  secretsOf,
} from '../../../src/alerts/webhooks/subscriptions.ts';
import { type Clock, systemClock, virtualClock } from '../../../src/base/clock.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { freshLake } from '../events/made-lake.ts';
import { madeEvent } from './made-event.ts';

const T0 = Date.UTC(2026, 2, 1);
const clock: Clock = { ...systemClock, now: () => T0 };

/** A poster of endpoints that are silent until they are released. */
class SilentEndpoints implements Poster {
  readonly letters: Letter[] = [];
  readonly #answers: (() => void)[] = [];

  post(letter: Letter): Promise<DeliveryAttempt> {
    this.letters.push(letter);
    const attempt = {
      at: T0,
      durationMs: 1,
      status: 204,
      retryAfter: null,
      answer: '',
      error: null,
    };
    return new Promise((resolve) => this.#answers.push(() => resolve(attempt)));
  }

  answerAll(): void {
    for (const answer of this.#answers.splice(0)) answer();
  }

  close = (): Promise<void> => Promise.resolve();
}

const subscribed = (lake: Lake, url: string, owner?: string): string =>
  addSubscription(lake, readWish({ url }, false), { now: T0, owner }).id;

/** A dispatcher over a lake with some events, and what it posts to. */
const dispatching = (lake: Lake, events: number) => {
  storeEvents(
    lake,
    Array.from({ length: events }, (_, index) => madeEvent(T0, index)),
    { now: T0 },
  );
  const poster = new SilentEndpoints();
  const secrets = secretsOf(lake);
  const dispatcher = new Dispatcher(lake, {
    clock,
    random: () => 0,
    poster,
    secrets,
    report: () => {},
  });
  const launch = () => dispatcher.launch(T0, new AbortController().signal);
  const settle = async (): Promise<void> => {
    poster.answerAll();
    await new Promise((resolve) => setImmediate(resolve));
    dispatcher.record();
  };
  return { poster, dispatcher, launch, settle };
};
const origins = (letters: readonly Letter[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { url } of letters)
    counts.set(new URL(url).origin, (counts.get(new URL(url).origin) ?? 0) + 1);
  return counts;
};

describe('a crowd of endpoints', () => {
  test('has at most 64 attempts under way, and every endpoint one before any has more', async () => {
    const lake = freshLake();
    for (let host = 0; host < 100; host += 1) subscribed(lake, `https://silent-${host}.example/`);
    const { poster, launch, settle } = dispatching(lake, 3);
    launch();
    launch();
    expect(poster.letters).toHaveLength(64);
    expect(origins(poster.letters).size).toBe(64);
    for (let turn = 0; turn < 6; turn += 1) {
      await settle();
      launch();
    }
    expect(poster.letters).toHaveLength(300);
  });

  test('behind one origin shares its eight', () => {
    const lake = freshLake();
    for (let path = 0; path < 20; path += 1) subscribed(lake, `https://one.example/${path}`);
    const { poster, launch } = dispatching(lake, 3);
    launch();
    expect(poster.letters).toHaveLength(8);
  });

  test('that fails leaves most of the room to those that live', () => {
    const lake = freshLake();
    for (let host = 0; host < 100; host += 1) {
      const id = subscribed(lake, `https://dead-${host}.example/`);
      noteHealth(lake, id, { failingSince: T0 - 1, pausedUntil: null });
    }
    for (let host = 0; host < 5; host += 1) subscribed(lake, `https://alive-${host}.example/`);
    const { poster, launch } = dispatching(lake, 3);
    launch();
    const counts = origins(poster.letters);
    expect([...counts].filter(([origin]) => origin.includes('dead'))).toHaveLength(16);
    expect([...counts].filter(([origin]) => origin.includes('alive')).map(([, n]) => n)).toEqual([
      3, 3, 3, 3, 3,
    ]);
  });

  test('is asked for by an index of what is due, not one by one', () => {
    const lake = freshLake();
    for (let host = 0; host < 50; host += 1) subscribed(lake, `https://quiet-${host}.example/`);
    const plan = lake.sqlite
      .prepare(
        'explain query plan select s.id from delivery_due q join subscriptions s on s.id = q.subscription_id where q.due_at <= ? and s.disabled_at is null order by q.due_at limit ?',
      )
      .all(T0, 10) as { detail: string }[];
    expect(plan.map(({ detail }) => detail).join('\n')).toMatch(/delivery_due_at/);
    expect(plan.map(({ detail }) => detail).join('\n')).not.toMatch(/SCAN|TEMP/);
    expect(dueEndpoints(lake, T0, 10)).toEqual([]);
  });

  test('is counted by what waits, not through all that was ever delivered', async () => {
    const lake = freshLake();
    const prepare = vi.spyOn(lake.sqlite, 'prepare');
    await flushDeliveries(lake, { clock: virtualClock(T0), random: () => 0.5 });
    const asked = prepare.mock.calls.map(([sql]) => sql).filter((sql) => /deliveries d/.test(sql));
    prepare.mockRestore();
    expect(asked.length).toBeGreaterThan(0);
    for (const sql of asked) {
      const plan = lake.sqlite.prepare(`explain query plan ${sql}`).all(T0) as { detail: string }[];
      expect(plan.map(({ detail }) => detail).join('\n')).not.toMatch(/SCAN d/);
    }
  });

  test('of one key is bounded; that of the operator is not', () => {
    const lake = freshLake();
    const add = (number: number, owner?: string) =>
      addSubscription(lake, readWish({ url: `https://h.example/${number}` }, false), {
        now: T0,
        owner,
        most: 3,
      });
    for (let number = 0; number < 3; number += 1) add(number, 'key_a');
    expect(() => add(3, 'key_a')).toThrow(/the most it may have \(3\)/);
    add(3, 'key_b');
    for (let number = 0; number < 5; number += 1) add(number);
  });
});
