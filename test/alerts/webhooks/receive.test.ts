import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { type HookHeaders, readHookSecret } from '../../../src/alerts/webhooks/hook-proof.ts';
import { receiveHook } from '../../../src/alerts/webhooks/receive.ts';
import { markTaken, readWantedSubjects } from '../../../src/alerts/webhooks/wanted-subjects.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { draws } from '../../support/draws.ts';
import { freshLake } from '../events/made-lake.ts';

const NOW = Date.UTC(2026, 2, 1);
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const secret = readHookSecret(SECRET);
const spike = {
  type: 'trend.spike',
  timestamp: '2026-02-28T23:50:00Z',
  data: {
    id: 'x1',
    platform: 'tiktok',
    subject: { kind: 'video', id: 'tt_9' },
    evidence: { views: 5 },
  },
};
const text = JSON.stringify(spike);

const standardHeaders = (body: string, id = 'msg_1', at = NOW): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(at / 1000),
  'webhook-signature': new Webhook(SECRET).sign(id, new Date(at), body),
});
const hmac = (body: string): string => createHmac('sha256', SECRET).update(body).digest('hex');
const timedHeaders = (body: string, at = NOW): Record<string, string> => ({
  'stripe-signature': `t=${at / 1000},v1=${'0'.repeat(64)},v1=${hmac(`${at / 1000}.${body}`)}`,
});
const plainHeaders = (body: string): Record<string, string> => ({
  'x-hub-signature-256': `sha256=${hmac(body)}`,
});

const receive = (lake: Lake, headers: HookHeaders, body: string | Buffer, now = NOW) =>
  receiveHook(lake, { headers, body: Buffer.from(body) }, { secret, now });
const count = (lake: Lake, table: string): number =>
  lake.sqlite.prepare(`select count(*) from ${table}`).pluck().get() as number;

describe('upstream webhooks', () => {
  test.each([
    ['Standard Webhooks', standardHeaders(text)],
    [
      'its predecessor',
      Object.fromEntries(
        Object.entries(standardHeaders(text)).map(([name, value]) => [
          name.replace('webhook', 'svix'),
          value,
        ]),
      ),
    ],
    ['a timed header', timedHeaders(text)],
    ['a plain header', plainHeaders(text)],
  ])('%s is taken', (_, headers) => {
    const lake = freshLake();
    expect(receive(lake, headers, text)).toMatchObject({ kind: 'stored' });
    expect(
      lake.sqlite
        .prepare(
          'select kind, platform, subject, occurred_at, detected_at, origin, data from events',
        )
        .get(),
    ).toEqual({
      kind: 'trend.spike',
      platform: 'tiktok',
      subject: 'video:tt_9',
      occurred_at: NOW - 10 * MINUTE_MS,
      detected_at: NOW,
      origin: 'upstream',
      data: expect.stringContaining('"evidence":{"views":5}'),
    });
    const [wanted] = readWantedSubjects(lake, ['video'], 5);
    expect(wanted).toMatchObject({ platform: 'tiktok', kind: 'video', id: 'tt_9' });
    if (wanted !== undefined) markTaken(lake, wanted, NOW);
    expect(readWantedSubjects(lake, ['video'], 5)).toEqual([]);
  });

  test('an event has one effect, however often it comes', () => {
    const lake = freshLake();
    for (let time = 0; time < 1000; time += 1) receive(lake, standardHeaders(text), text);
    expect([count(lake, 'events'), count(lake, 'received_hooks')]).toEqual([1, 1]);
    expect(
      receive(lake, standardHeaders(text, 'msg_1', NOW + 6 * DAY_MS), text, NOW + 6 * DAY_MS),
    ).toEqual({ kind: 'repeated' });
    expect(receive(lake, plainHeaders(text), text)).toMatchObject({ kind: 'stored' });
    expect(receive(lake, plainHeaders(text), text, NOW + 400 * DAY_MS)).toEqual({
      kind: 'repeated',
    });
  });

  test.each([-6, 6])('a signature of %d minutes from now is refused', (minutes) => {
    const lake = freshLake();
    const at = NOW + minutes * MINUTE_MS;
    expect(receive(lake, standardHeaders(text, 'msg_1', at), text)).toMatchObject({
      kind: 'forged',
    });
    expect(receive(lake, timedHeaders(text, at), text)).toMatchObject({ kind: 'forged' });
    expect(
      receive(lake, standardHeaders(text, 'msg_1', NOW + (minutes > 0 ? 4 : -4) * MINUTE_MS), text),
    ).toMatchObject({ kind: 'stored' });
  });

  test('no mutation of a delivery is accepted', () => {
    const lake = freshLake();
    const forms = [standardHeaders(text), timedHeaders(text), plainHeaders(text)];
    const body = Buffer.from(text);
    const position = fc.nat();
    const mutation = fc.record({
      form: fc.nat(2),
      where: fc.nat(9),
      at: position,
      bit: fc.nat(7),
      cut: fc.boolean(),
    });
    fc.assert(
      fc.property(mutation, ({ form, where, at, bit, cut }) => {
        const headers = { ...(forms[form] as Record<string, string>) };
        const flipped = (bytes: Buffer): Buffer => {
          const copy = Buffer.from(bytes);
          if (cut) return copy.subarray(0, at % copy.length);
          copy[at % copy.length] = (copy[at % copy.length] as number) ^ (1 << bit);
          return copy;
        };
        let sent: Buffer = body;
        if (where < 5) sent = flipped(body);
        else {
          const name = Object.keys(headers)[at % Object.keys(headers).length] as string;
          const before = headers[name] as string;
          // the signature that comes first in the timed form is a stale one: breaking it changes nothing
          const keep = before.startsWith('t=') ? before.indexOf(',v1=', 20) : 0;
          headers[name] =
            before.slice(0, keep) + flipped(Buffer.from(before.slice(keep))).toString('latin1');
        }
        const { kind } = receive(lake, headers, sent);
        expect(['forged', 'unsigned', 'unreadable']).toContain(kind);
        expect(kind === 'unreadable').toBe(false);
      }),
      { numRuns: draws(10_000) },
    );
    expect(count(lake, 'received_hooks')).toBe(0);
  });

  test.each([
    ['nothing', {}],
    ['a signature without its id', { 'webhook-signature': 'v1,abc', 'webhook-timestamp': '1' }],
    ['an empty signature', { ...standardHeaders(text), 'webhook-signature': '' }],
    [
      'another version',
      {
        ...standardHeaders(text),
        'webhook-signature': standardHeaders(text)['webhook-signature']?.replace('v1,', 'v2,'),
      },
    ],
    ['a time that is none', { ...standardHeaders(text), 'webhook-timestamp': 'NaN' }],
    [
      'a plain header in place of a wrong one',
      { ...plainHeaders(text), ...standardHeaders(`${text} `) },
    ],
  ])('%s does not sign', (_, headers) => {
    expect(['unsigned', 'forged']).toContain(receive(freshLake(), headers, text).kind);
  });

  test.each([
    ['{"type":"sound.rising","data":{"x":1}}', 'sound.rising'],
    ['{"type":7}', 'type'],
    ['[1,2]', 'type'],
    ['null', 'type'],
    ['"text"', 'type'],
    ['{"type":"trend.spike"}', 'trend.spike subject'],
    ['{"type":"creator.viral","data":{"handle":"   "}}', 'creator.viral subject'],
  ])('%s is kept and reported', (body, field) => {
    const lake = freshLake();
    expect(receive(lake, standardHeaders(body), body)).toEqual({ kind: 'kept' });
    expect(lake.sqlite.prepare('select body from received_hooks').pluck().get()).toBe(body);
    expect(lake.sqlite.prepare('select resource, field from drift').get()).toEqual({
      resource: 'upstream event',
      field,
    });
    expect(count(lake, 'events')).toBe(0);
  });

  test('a signed body that is not JSON is refused', () => {
    expect(receive(freshLake(), standardHeaders('{'), '{')).toMatchObject({ kind: 'unreadable' });
  });

  test.each([
    [
      { type: 'creator.viral', data: { handle: '@maker', platform: 'instagram' } },
      'creator:maker',
      'instagram',
    ],
    [
      { type: 'hashtag.rising', timestamp: NOW / 1000, data: { tag: '#mossy' } },
      'hashtag:mossy',
      null,
    ],
    [
      { type: 'trend.spike', timestamp: 'soon', data: { videoId: 'yt_a_b' } },
      'video:yt_a_b',
      'youtube',
    ],
    [{ type: 'niche.breakout', data: { subject: 'niche:goblincore' } }, 'niche:goblincore', null],
  ])('reads %j', (message, subject, platform) => {
    const lake = freshLake();
    const body = JSON.stringify(message);
    receive(lake, standardHeaders(body), body);
    expect(lake.sqlite.prepare('select subject, platform, occurred_at from events').get()).toEqual({
      subject,
      platform,
      occurred_at: NOW,
    });
  });

  test('a secret that is too short is refused', () => {
    expect(() => readHookSecret('short')).toThrow(/too short/);
    expect(() => readHookSecret('whsec_c2hvcnQ=')).toThrow(/24 to 64 bytes/);
    expect(() => readHookSecret('a plain text of enough length')).not.toThrow();
  });
});
