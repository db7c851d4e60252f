import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { judgeConditions, type Known } from '../../../src/alerts/notify/judge.ts';
import type { NoticeMessage } from '../../../src/alerts/notify/message.ts';
import { sendNotices } from '../../../src/alerts/notify/notify.ts';
import { disableSubscription, secretsOf } from '../../../src/alerts/webhooks/subscriptions.ts';
import { systemClock, type VirtualClock, virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { freshLake } from '../../support/fresh.ts';
import { madeEndpoint, subscribe } from '../webhooks/made-endpoint.ts';

const T0 = systemClock.now();
const QUIET: Known = { sources: [], quota: null, chores: [] };

const addRun = (lake: Lake, outcome: string, reason: string | null): void => {
  lake.sqlite
    .prepare(
      `insert into runs (started_at, finished_at, outcome, heartbeat_at, jobs, summary)
       values (?, ?, ?, ?, '[]', json_object('reason', ?))`,
    )
    .run(T0, T0, outcome, T0, reason);
};

const { signal } = new AbortController();

/** The notices of a night: judges, then sends. */
const notify = (lake: Lake, channel: string, known: Known, clock: VirtualClock) => {
  judgeConditions(lake, known, clock.now());
  return sendNotices(lake, channel, { clock, env: process.env, signal });
};

/** An endpoint that receives notices, and a function that judges again. */
const told = async () => {
  const lake = freshLake();
  const endpoint = await madeEndpoint();
  const clock: VirtualClock = virtualClock(T0);
  const judge = (known: Partial<Known> = {}) =>
    notify(lake, endpoint.url, { ...QUIET, ...known }, clock);
  const sentences = () =>
    endpoint.received.map(({ body }) =>
      (JSON.parse(body) as NoticeMessage).data.notices.map(({ state, kind }) => `${kind} ${state}`),
    );
  return { lake, endpoint, clock, judge, sentences };
};

test('a failed run is notified once, and its end once', async () => {
  const { lake, endpoint, judge, sentences } = await told();
  expect(await judge()).toBeUndefined();
  expect(endpoint.received).toEqual([]);
  addRun(lake, 'partial', 'two items failed');
  await judge();
  await judge();
  expect(sentences()).toEqual([['run began']]);
  expect(endpoint.received[0]?.body).toContain('ended as partial: two items failed');
  addRun(lake, 'complete', null);
  await judge();
  await judge();
  expect(sentences()).toEqual([['run began'], ['run over']]);
  addRun(lake, 'failed', 'the key is refused');
  await judge();
  expect(sentences()).toHaveLength(3);
});

test('a notice is signed like other webhooks', async () => {
  const { lake, endpoint, judge } = await told();
  await judge({ quota: 'The month will not last.' });
  using secrets = secretsOf(lake);
  const [secret = ''] = secrets.signing('notify', T0);
  const [letter] = endpoint.received;
  const read = new Webhook(secret).verify(
    letter?.body ?? '',
    letter?.headers as Record<string, string>,
  );
  expect(read).toMatchObject({
    type: 'trendlake.notice',
    data: { notices: [{ kind: 'quota', state: 'began', sentence: 'The month will not last.' }] },
  });
});

test('stale sources, failing chores, drift and disabled endpoints are notified', async () => {
  const { lake, clock, judge, sentences } = await told();
  const { id } = subscribe(lake, 'http://127.0.0.1:1/');
  disableSubscription(lake, id, T0, 'the endpoint answered 410 (gone)');
  lake.sqlite
    .prepare(
      `insert into drift (resource, field, first_seen_at, sample) values ('video', 'mood', ?, '"x"')`,
    )
    .run(T0);
  lake.sqlite
    .prepare(
      `insert into calls (job, request, sent_at, finished_at, status, sent, sender) values ('feed', 'GET /feed', ?, ?, 200, 1, 'a')`,
    )
    .run(T0 - DAY_MS, T0 - DAY_MS);
  const sources = [
    { job: 'feed', staleAt: T0 - HOUR_MS },
    { job: 'trends', staleAt: T0 },
  ];
  await judge({
    sources,
    chores: [
      { name: 'backup', failed: true },
      { name: 'export', failed: false },
    ],
  });
  expect(sentences()[0]?.sort()).toEqual([
    'chore began',
    'drift began',
    'endpoint began',
    'stale began',
  ]);
  clock.advanceTo(T0 + 1);
  await judge({ chores: [] });
  expect(sentences()[1]).toEqual(['stale over']); // of the backup nothing is known yet
  await judge({ chores: [{ name: 'backup', failed: false }] });
  expect(sentences()[2]).toEqual(['chore over']);
});

test('an undelivered notice is sent the next time, unless its condition is over by then', async () => {
  const { lake, endpoint, clock, judge, sentences } = await told();
  const known = { ...QUIET, quota: 'short' };
  expect(await notify(lake, 'http://127.0.0.1:1/', known, clock)).toBe('nothing listens there');
  await judge(known);
  expect(sentences()).toEqual([['quota began']]);
  await notify(
    lake,
    'http://127.0.0.1:1/',
    { ...known, chores: [{ name: 'backup', failed: true }] },
    clock,
  );
  await judge({ ...known, chores: [{ name: 'backup', failed: false }] });
  expect(endpoint.received).toHaveLength(1);
});
