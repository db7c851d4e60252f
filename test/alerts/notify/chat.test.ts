import { expect, test } from 'vitest';
import { sendTo } from '../../../src/alerts/notify/channel.ts';
import { noteConditions } from '../../../src/alerts/notify/conditions.ts';
import { type AlertMessage, messageFor } from '../../../src/alerts/notify/message.ts';
import { sendNotices } from '../../../src/alerts/notify/notify.ts';
import { saveAlert } from '../../../src/alerts/rules/alert-store.ts';
import { evaluateAlerts } from '../../../src/alerts/rules/evaluate.ts';
import { sendHits } from '../../../src/alerts/rules/send-hits.ts';
import { chatTarget } from '../../../src/alerts/webhooks/chat.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { notifyTargets, targetsIn } from '../../../src/base/config/notify-targets.ts';
import { freshLake } from '../../support/fresh.ts';
import { chatProblems } from '../webhooks/chat-receivers.ts';
import { madeEndpoint } from '../webhooks/made-endpoint.ts';

const SERVICES = ['slack', 'discord', 'teams'] as const;
const T0 = Date.UTC(2026, 2, 1);

const world = (publicUrl?: string) => {
  const lake = freshLake();
  const { signal } = new AbortController();
  return { clock: virtualClock(T0), lake, env: process.env, signal, publicUrl };
};

/** An endpoint that takes what the service takes. */
const chat = async (service: (typeof SERVICES)[number]) => {
  const endpoint = await madeEndpoint((response) => {
    const problems = chatProblems(service, endpoint.received.at(-1)?.body ?? '');
    response.writeHead(problems.length === 0 ? 200 : 400).end(problems.join());
  });
  return { ...endpoint, target: `${service}+${endpoint.url}` };
};

const hit = (subject: string, fields: Record<string, unknown> = {}) => ({
  subject,
  at: '',
  title: null,
  url: null,
  value: null,
  row: {},
  ...fields,
});
const alertMessage = (hits: unknown[]): AlertMessage => ({
  type: 'trendlake.alert',
  timestamp: '2026-03-01T00:00:00.000Z',
  data: { alert: 'viral', hits: hits as AlertMessage['data']['hits'] },
});

const HOSTILE = [
  '<!channel> & <@U1> *b*',
  '](https://evil.example) `x` @everyone',
  `${'&'.repeat(400)}`,
  '😀'.repeat(300),
];

test.each(SERVICES)('%s takes one row, many rows, long ones and hostile ones', async (service) => {
  const { target, received } = await chat(service);
  const deps = world('https://trends.example');
  const hits = HOSTILE.flatMap((title, n) => [
    hit(`tt_${n}`, {
      title,
      value: n * 1e6,
      url: `https://example.com/?a=(${title.slice(0, 40)})|&b`,
    }),
    hit(title, { value: title.repeat(3), url: `https://example.com/${'x'.repeat(5000)}` }),
    hit(`yt_${n}`),
  ]);
  for (const some of [hits.slice(0, 1), hits, Array.from({ length: 900 }, () => hits[3])])
    expect(await sendTo(target, alertMessage(some), deps)).toBeUndefined();
  const notice = {
    kind: 'drift' as const,
    subject: 'video',
    beganAt: T0,
    endedAt: null,
    sentence: '<&> '.repeat(800),
  };
  expect(await sendTo(target, messageFor([notice, notice], T0), deps)).toBeUndefined();
  const [one = '', many = '', most = ''] = received.map(({ body }) => body);
  expect(one).toContain('viral: ');
  expect(many).toContain('viral: 12 rows');
  expect(many).toContain('and 2 more');
  expect(most).toMatch(/and 89\d more/);
  expect(many).toContain('https://trends.example/alerts');
  expect(many).toContain('https://trends.example/videos/yt_0');
  expect(received[0]?.headers).not.toHaveProperty('webhook-signature');
});

test('addresses of chat services are known by host or prefix', () => {
  const serviceOf = (address: string) => chatTarget(address)?.service;
  expect(serviceOf('https://hooks.slack.com/services/T/B/x')).toBe('slack');
  expect(serviceOf('https://discord.com/api/webhooks/1/x')).toBe('discord');
  expect(serviceOf('https://acme.webhook.office.com/webhookb2/x')).toBe('teams');
  expect(serviceOf('https://prod-1.westeurope.logic.azure.com:443/workflows/x')).toBe('teams');
  expect(serviceOf('teams+https://proxy.example/x')).toBe('teams');
  expect(serviceOf('https://hooks.slack.com.evil.example/')).toBeUndefined();
  expect(serviceOf('https://example.com/?discord.com')).toBeUndefined();
  expect(serviceOf('curl https://discord.com/api/webhooks/1/x')).toBeUndefined();
});

test('a short quiet is waited for, a long one fails until the next run', async () => {
  let wait = '2';
  const { url, received } = await madeEndpoint((response, count) => {
    if (count % 2 === 1) response.writeHead(429, { 'retry-after': wait }).end();
    else response.writeHead(200).end('ok');
  });
  const deps = world();
  expect(await sendTo(`slack+${url}`, alertMessage([hit('a')]), deps)).toBeUndefined();
  expect(deps.clock.now()).toBe(T0 + 2000);
  wait = '600';
  expect(await sendTo(`slack+${url}`, alertMessage([hit('a')]), deps)).toMatch(/429/);
  expect(received).toHaveLength(3);
});

test.each([
  ['slack', 1000],
  ['discord', 400],
  ['teams', 250],
] as const)('%s gets its messages at least %d ms apart', async (service, everyMs) => {
  const lake = freshLake();
  const deps = world();
  const at: number[] = [];
  const { url } = await madeEndpoint((response) => {
    at.push(deps.clock.now());
    response.writeHead(200).end('ok');
  });
  for (const name of ['a', 'b', 'c'])
    saveAlert(lake, { name, sql: '', targets: [`${service}+${url}`], cooldownMs: 1 }, T0);
  const run = async () => new Map([['x', { subject: 'x' }]]);
  const warn = (): never => expect.unreachable();
  await evaluateAlerts(lake, { run, now: T0, notify: undefined, warn });
  expect(await sendHits(lake, undefined, deps)).toEqual([]);
  expect(at.map((one) => one - T0)).toEqual([0, everyMs, 2 * everyMs]);
});

test('each of several targets gets a notice once, also after one of them failed', async () => {
  const lake = freshLake();
  const good = await madeEndpoint();
  let isDown = true;
  const bad = await madeEndpoint((response) => response.writeHead(isDown ? 500 : 204).end());
  const deps = world();
  const notify = `${good.url} slack+${bad.url}`;
  const judged = [{ kind: 'run' as const }];
  const problem = { kind: 'run' as const, subject: '', sentence: 'It failed.' };
  noteConditions(lake, [problem], { judged, now: T0 });
  const counts = async () => {
    const failure = await sendNotices(lake, notify, deps);
    return [failure === undefined, good.received.length, bad.received.length];
  };
  expect(await counts()).toEqual([false, 1, 1]);
  expect(await counts()).toEqual([false, 1, 2]);
  isDown = false;
  expect(await counts()).toEqual([true, 1, 3]);
  expect(await counts()).toEqual([true, 1, 3]);
  noteConditions(lake, [], { judged, now: T0 + 1 });
  expect(await counts()).toEqual([true, 2, 4]);
  expect(await counts()).toEqual([true, 2, 4]);
});

test('the setting takes one command or several addresses', () => {
  expect(targetsIn(' https://a.example/x  slack+https://b.example ')).toHaveLength(2);
  expect(targetsIn('curl -d @- https://a.example')).toEqual(['curl -d @- https://a.example']);
  for (const bad of ['', 'smtps://host/', 'https://', 'https://a.example smtps://b.example/?to=c'])
    expect(notifyTargets(bad), bad).toHaveProperty('expected');
});
