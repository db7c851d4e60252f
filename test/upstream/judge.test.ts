import { describe, expect, test } from 'vitest';
import {
  KeyRefusedError,
  RateLimitedError,
  RequestRefusedError,
} from '../../src/upstream/errors.ts';
import { askedWaitMs, judge } from '../../src/upstream/judge.ts';

const NOW = Date.UTC(2026, 2, 1);
const response = (status: number, headers: Record<string, string> = {}, body = '') => ({
  status,
  headers,
  body: Buffer.from(body),
});

describe('how long a service asks to wait', () => {
  const date = (seconds: number): string => new Date(NOW + seconds * 1000).toUTCString();
  test.each([
    [{ 'retry-after': '30' }, 30_000],
    [{ 'retry-after': ' 1.5 ' }, 1500],
    [{ 'retry-after': date(60) }, 60_000],
    [{ 'retry-after': date(60), date: date(-600) }, 660_000],
    [{}, null],
    [{ 'retry-after': '0' }, null],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': date(-60) }, null],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '99999999999' }, null],
  ])('%j: %j', (headers, waitMs) =>
    expect(askedWaitMs(headers as Record<string, string>, NOW)).toBe(waitMs),
  );
});

describe('what a status stands for', () => {
  test('200 is a response', () => expect(judge(response(200), NOW)).toBeUndefined());
  test.each([429, 503])('%i asks to wait', (status) => {
    const error = judge(response(status, { 'retry-after': '7' }, '{"detail":"Slow down"}'), NOW);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ transient: true, retryAfterMs: 7000, status });
    expect(error?.message).toMatch(/7 s.*Slow down/);
  });
  test.each<[number, string, number[] | undefined]>([
    [402, '', undefined],
    [420, '', [420]],
    [403, '{"error":{"code":"quota_exceeded","message":"Monthly quota exceeded."}}', undefined],
    [403, '{"detail":"You have no more credits."}', undefined],
    [403, '{"message":"Usage limit reached for this month"}', undefined],
    [403, 'Insufficient balance', undefined],
  ])('%i %s says that the quota is spent', (status, body, spentStatuses) => {
    const settings = spentStatuses === undefined ? {} : { spentStatuses };
    const error = judge(response(status, { 'retry-after': '7200' }, body), NOW, 'KEY', settings);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ status, retryAfterMs: 7_200_000 });
  });
  test.each([
    '{"detail":"The scope lab is missing."}',
    '{"detail":"This plan does not include timelines. Upgrade it."}',
    '{"detail":"Requests from this address are forbidden."}',
  ])('403 %s says nothing of a quota', (body) =>
    expect(judge(response(403, {}, body), NOW)).toBeInstanceOf(KeyRefusedError),
  );
  test.each([401, 403])('%i refuses the key', (status) => {
    const error = judge(response(status), NOW);
    expect(error).toBeInstanceOf(KeyRefusedError);
    expect(error?.message).toMatch(/Check/);
  });
  test.each([
    ['{"detail":"The month is spent"}', ': The month is spent.'],
    ['{"detail":"The month is spent. "}', ': The month is spent.'],
    ['{"detail":"Who are you?"}', ': Who are you?'],
    ['{"detail":" "}', '.'],
    ['{"detail":"Wait\\n\\u001b[2Ja bit"}', ': Wait [2Ja bit.'],
  ])('a sentence may follow what %s says', (body, end) =>
    expect(judge(response(429, {}, body), NOW)?.message).toBe(`The service answered 429${end}`),
  );
  test.each([300, 304])('%i without an address is not a redirect', (status) => {
    const error = judge(response(status), NOW);
    expect(error).toMatchObject({ transient: false, status });
    expect(error?.message).toBe(`The service answered ${status}.`);
  });
  test.each([500, 502, 504, 408, 425])('%i may be over soon', (status) =>
    expect(judge(response(status), NOW)).toMatchObject({ transient: true, status }),
  );
  test.each([201, 204, 206, 400, 404, 410, 422])('%i will not change', (status) =>
    expect(judge(response(status), NOW)).toMatchObject({ transient: false, status }),
  );
  test.each([301, 302, 307, 308])('%i is not followed', (status) => {
    const error = judge(response(status, { location: 'https://evil.example/v1' }), NOW);
    expect(error).toBeInstanceOf(RequestRefusedError);
    expect(error?.message).toMatch(/evil\.example.*not followed.*TRENDLAKE_BASE_URL/);
  });
  test('a long, odd or hostile body stays a short message', () => {
    for (const body of ['<html>', `{"detail":"${'x'.repeat(5000)}"}`, '{"detail":{"a":1}}', '['])
      expect(judge(response(400, {}, body), NOW)?.message.length).toBeLessThan(500);
  });
});

test.each([
  '<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>',
  'Client sent an HTTP request to an HTTPS server.\n',
  "<p>You're speaking plain HTTP to an SSL-enabled server port.</p>",
])('plain HTTP to a port for TLS: the address must begin with https (%s)', (body) => {
  const error = judge({ status: 400, headers: {}, body: Buffer.from(body) }, 0);
  expect(error?.message).toContain('TRENDLAKE_BASE_URL must begin with https://');
});
