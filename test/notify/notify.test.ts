import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock, type VirtualClock, virtualClock } from '../../src/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/durations.ts';
import type { Lake } from '../../src/lake/open.ts';
import { type Message, sendTo } from '../../src/notify/channel.ts';
import { type Known, notify } from '../../src/notify/notify.ts';
import { disableSubscription, secretsOf } from '../../src/webhooks/subscriptions.ts';
import { freshFolder, freshLake } from '../support/fresh.ts';
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

/** An endpoint that is told, and a way to judge again. */
const told = async () => {
  const lake = freshLake();
  const endpoint = await madeEndpoint();
  const clock: VirtualClock = virtualClock(T0);
  const judge = (known: Partial<Known> = {}) =>
    notify(lake, endpoint.url, { ...QUIET, ...known }, { clock, env: process.env });
  const sentences = () =>
    endpoint.received.map(({ body }) =>
      (JSON.parse(body) as Message).data.notices.map(({ state, kind }) => `${kind} ${state}`),
    );
  return { lake, endpoint, clock, judge, sentences };
};

test('a failed run is told once, and once that it is over', async () => {
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

test('what is told is signed as other webhooks are', async () => {
  const { lake, endpoint, judge } = await told();
  await judge({ quota: 'The month will not last.' });
  const secrets = secretsOf(lake);
  const [secret = ''] = secrets.signing('notify', T0);
  secrets.close();
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

test('stale sources, failing chores, drift and disabled endpoints are told', async () => {
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

test('what could not be told is told the next time; what was over before is not', async () => {
  const { lake, endpoint, clock, judge, sentences } = await told();
  const known = { ...QUIET, quota: 'short' };
  const deps = { clock, env: process.env };
  expect(await notify(lake, 'http://127.0.0.1:1/', known, deps)).toBe('nothing listens there');
  await judge(known);
  expect(sentences()).toEqual([['quota began']]);
  await notify(
    lake,
    'http://127.0.0.1:1/',
    { ...known, chores: [{ name: 'backup', failed: true }] },
    deps,
  );
  await judge({ ...known, chores: [{ name: 'backup', failed: false }] });
  expect(endpoint.received).toHaveLength(1);
});

const message: Message = {
  type: 'trendlake.notice',
  timestamp: '2026-03-01T00:00:00.000Z',
  data: {
    notices: [
      {
        kind: 'run',
        subject: '',
        state: 'began',
        since: '2026-03-01T00:00:00.000Z',
        until: null,
        sentence: 'Run 1 was failed.',
      },
    ],
  },
};
const deps = (lake: Lake) => ({ clock: systemClock, secrets: secretsOf(lake), env: process.env });

test('a command is handed the notices as JSON, and its failure is told', async () => {
  const lake = freshLake();
  const file = join(freshFolder(), 'a file.json');
  const handed = deps(lake);
  expect(await sendTo(`cat > '${file}'`, message, handed)).toBeUndefined();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(message);
  expect(await sendTo('exit 3', message, handed)).toBe('the command ended with exit code 3');
  handed.secrets.close();
});

test('an e-mail goes out over SMTP', async () => {
  const lines: string[] = [];
  const server = createServer((socket) => {
    let inData = false;
    socket.write('220 made up\r\n');
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
        lines.push(line);
        if (inData && line !== '.') continue;
        if (line === '.') inData = false;
        else if (line === 'DATA') inData = true;
        socket.write(
          line === 'DATA'
            ? '354 go on\r\n'
            : line.startsWith('QUIT')
              ? '221 bye\r\n'
              : '250 ok\r\n',
        );
      }
    });
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const handed = deps(freshLake());
  const to = `smtp://127.0.0.1:${port}/?from=lake@example.com&to=ops@example.com`;
  expect(await sendTo(to, message, handed)).toBeUndefined();
  handed.secrets.close();
  expect(lines).toContain('RCPT TO:<ops@example.com>');
  expect(lines).toContain('Subject: trendlake: run');
  expect(lines.join('\n')).toContain('Run 1 was failed.');
});
