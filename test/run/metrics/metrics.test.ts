import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { status, text } from '../../../fixtures/faults.ts';
import { startFaultyUpstream } from '../../../fixtures/faulty-upstream.ts';
import { WORLD_AT } from '../../../fixtures/small-world.ts';
import { systemClock, virtualClock } from '../../../src/base/clock.ts';
import { MINUTE_MS } from '../../../src/base/durations.ts';
import { createKey } from '../../../src/lake/keys/keys.ts';
import { openServiceDb } from '../../../src/lake/keys/service-db.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';
import { Metrics } from '../../../src/run/metrics/metrics.ts';
import { startService } from '../../../src/serve/service.ts';
import type { RunningService } from '../../../src/serve/service-options.ts';
import { freshFolder } from '../../support/fresh.ts';
import { syncOnce } from '../../support/sync-once.ts';
import { openTestLake } from '../../support/test-lake.ts';
import { type Family, readExposition } from './exposition.ts';

const QUOTA = { ratePerMinute: 60, callsPerMonth: 50_000, quotaReset: 'calendar' };
const PATIENT = { timeout: 200_000 };
const NOW = WORLD_AT + 10 * MINUTE_MS;

interface Scraped {
  families: Map<string, Family>;
  headers: Headers;
  /** The value of a series; undefined where it is not there. */
  value(name: string, labels?: Record<string, string>): number | undefined;
}

const scrapeOf = async (origin: string): Promise<Scraped> => {
  const answer = await fetch(new URL('/metrics', origin));
  expect(answer.status).toBe(200);
  const families = readExposition(await answer.text());
  const value: Scraped['value'] = (name, labels = {}) =>
    [...families.values()]
      .flatMap(({ samples }) => samples)
      .find(
        (sample) =>
          sample.name === name &&
          JSON.stringify(Object.entries(sample.labels).sort()) ===
            JSON.stringify(Object.entries(labels).sort()),
      )?.value;
  return { families, headers: answer.headers, value };
};

/** A service with metrics over a data directory. */
const serveMetrics = async (
  dataDir: string,
): Promise<{ service: RunningService; metrics: Metrics; close(): Promise<void> }> => {
  const clock = virtualClock(NOW);
  const metrics = new Metrics({ dataDir, clock, ...QUOTA });
  const service = await startService({ dataDir, clock, machine: systemClock, metrics });
  const close = async (): Promise<void> => {
    await service.close();
    await metrics.close();
  };
  return { service, metrics, close };
};

test('reports all metrics of an empty lake, without invented values', async () => {
  const { service, close } = await serveMetrics(freshFolder());
  onTestFinished(close);
  const { value, headers, families } = await scrapeOf(service.url);
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(value('trendlake_lake_up')).toBe(1);
  expect(value('trendlake_runs_total', { outcome: 'complete' })).toBe(0);
  expect(value('trendlake_quota_remaining_calls')).toBe(50_000);
  expect(value('trendlake_rows', { table: 'videos' })).toBe(0);
  expect(value('trendlake_database_size_bytes', { file: 'trendlake.db' })).toBeGreaterThan(0);
  expect(value('trendlake_export_age_seconds')).toBeUndefined();
  expect(families.get('trendlake_source_lag_seconds')?.samples).toEqual([]);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
});

test('omits the metrics of an unreadable lake instead of reporting 0', async () => {
  const metrics = new Metrics({ dataDir: freshFolder(), clock: virtualClock(NOW), ...QUOTA });
  onTestFinished(() => metrics.close());
  const families = readExposition(await metrics.text());
  expect(families.get('trendlake_lake_up')?.samples[0]?.value).toBe(0);
  expect(families.get('trendlake_quota_remaining_calls')?.samples).toEqual([]);
  expect(families.get('process_cpu_seconds_total')?.samples).toHaveLength(1);
});

describe('a lake that was synced', () => {
  const dataDir = freshFolder();
  let running: Awaited<ReturnType<typeof serveMetrics>>;
  let calls: number;
  beforeAll(async () => {
    const upstream = await startFaultyUpstream([
      { on: /trends\/youtube\/week/, fault: status(500) },
      { on: /trends\/youtube\/day/, fault: status(429, { 'retry-after': '1' }) },
      { on: /hashtags/, fault: text('<html>'), times: 99 },
    ]);
    calls = (await syncOnce(dataDir, upstream.baseUrl)).ledger;
    await upstream.close();
    const lake = openTestLake(dataDir);
    await exportLake(lake, { clock: virtualClock(NOW - MINUTE_MS) });
    lake.close();
    running = await serveMetrics(dataDir);
  });
  afterAll(() => running.close());

  test('reports runs, calls by outcome, quota, lag, rows and export', async () => {
    const { value, families } = await scrapeOf(running.service.url);
    expect(value('trendlake_runs_total', { outcome: 'partial' })).toBe(1);
    expect(value('trendlake_runs_unfinished', { outcome: 'running' })).toBe(0);
    const by = (source: string, outcome: string) =>
      value('trendlake_calls_total', { source, outcome });
    expect(by('trends', 'refused')).toBe(1);
    expect(by('trends', 'limited')).toBe(1);
    expect(by('hashtags', 'unreadable')).toBeGreaterThanOrEqual(4);
    expect(by('hashtags', 'ok')).toBe(0);
    expect(by('growth', 'ok')).toBe(3);
    const all = families.get('trendlake_calls_total')?.samples ?? [];
    expect(all.reduce((sum, sample) => sum + sample.value, 0)).toBe(calls);
    expect(value('trendlake_quota_spent_calls')).toBe(calls);
    expect(value('trendlake_quota_remaining_calls')).toBe(50_000 - calls);
    expect(value('trendlake_quota_reset_timestamp_seconds')).toBe(Date.UTC(2026, 3, 1) / 1000);
    for (const platform of ['tiktok', 'youtube'])
      expect(value('trendlake_source_lag_seconds', { source: 'feed', platform })).toBe(600);
    expect(
      value('trendlake_source_lag_seconds', { source: 'creators', platform: 'all' }),
    ).toBeGreaterThan(0);
    expect(
      value('trendlake_source_lag_seconds', { source: 'hashtags', platform: 'all' }),
    ).toBeUndefined(); // never answered
    expect(value('trendlake_export_age_seconds')).toBe(60);
    expect(value('trendlake_export_pending_partitions')).toBe(0);
    expect(value('trendlake_export_rows', { table: 'videos' })).toBe(
      value('trendlake_rows', { table: 'videos' }),
    );
  });

  test('reports files of an earlier version until an export rewrites them', async () => {
    const path = join(dataDir, 'parquet', 'manifest.json');
    const before = await scrapeOf(running.service.url);
    const { codec: _, ...written } = JSON.parse(readFileSync(path, 'utf8')) as { codec: string };
    writeFileSync(path, JSON.stringify({ ...written, format: 1, schemaVersion: 0 }));
    const after = await scrapeOf(running.service.url);
    for (const name of ['trendlake_export_age_seconds', 'trendlake_export_rows'])
      expect(after.families.get(name)).toEqual(before.families.get(name));
  });

  test('shows writes of another process in a later scrape', async () => {
    const before = await scrapeOf(running.service.url);
    const upstream = await startFaultyUpstream();
    onTestFinished(() => upstream.close());
    await syncOnce(dataDir, upstream.baseUrl);
    expect(before.value('trendlake_runs_total', { outcome: 'complete' })).toBe(0);
    await vi.waitFor(async () => {
      const { value } = await scrapeOf(running.service.url);
      expect(value('trendlake_runs_total', { outcome: 'complete' })).toBe(1);
    }, PATIENT);
  });

  test('reads the lake once for simultaneous scrapes', async () => {
    const texts = await Promise.all(Array.from({ length: 5 }, () => running.metrics.text()));
    expect(new Set(texts).size).toBe(1);
  });

  test('needs no key and counts against none', async () => {
    const db = openServiceDb(dataDir);
    onTestFinished(() => void db.close());
    const { key, record } = createKey(db, { useCase: 'scrape', tier: 'beta' }, NOW);
    const authorization = `Bearer ${key}`;
    await fetch(new URL('/metrics', running.service.url), { headers: { authorization } });
    expect(db.prepare('select month_calls from api_key where id = ?').pluck().get(record.id)).toBe(
      0,
    );
  });

  test('counts requests by route, so that invented addresses create no series', async () => {
    const { url } = running.service;
    const before = await scrapeOf(url);
    for (let n = 0; n < 40; n++) {
      await fetch(`${url}/videos/tt_${n}/growth?x=${n}`);
      await fetch(new URL(`/nothing-${n}/${'x'.repeat(20 * n)}`, url));
      await fetch(`${url}/feed/platform${n}`, { method: n % 2 === 0 ? 'HEAD' : 'GET' });
    }
    await new Promise<void>((resolve, reject) => {
      request(new URL('/health', url), { method: 'PURGE' }, (answer) => {
        answer.resume().once('end', resolve);
      })
        .once('error', reject)
        .end();
    });
    const total = (scraped: Scraped, route: string): number =>
      (scraped.families.get('trendlake_http_requests_total')?.samples ?? [])
        .filter(({ labels }) => labels.route === route)
        .reduce((sum, { value }) => sum + value, 0);
    await vi.waitFor(async () => {
      const after = await scrapeOf(url);
      for (const route of ['/v1/videos/:id/growth', '/v1/feed/:platform'])
        expect(total(after, route) - total(before, route)).toBe(40);
      const samples = after.families.get('trendlake_http_requests_total')?.samples ?? [];
      const labels = (name: string) => [...new Set(samples.map((sample) => sample.labels[name]))];
      expect(labels('route').sort()).toEqual([
        '/metrics',
        '/v1/feed/:platform',
        '/v1/videos/:id/growth',
        'unknown',
      ]);
      expect(labels('method').sort()).toEqual(['GET', 'HEAD', 'other']);
    }, PATIENT);
  });
});

test('reports once that the lake is unreadable, and once that it is readable again', async () => {
  const dataDir = freshFolder();
  const told: string[] = [];
  const report = (sentence: string): void => void told.push(sentence);
  const metrics = new Metrics({ dataDir, clock: virtualClock(NOW), report, ...QUOTA });
  onTestFinished(() => metrics.close());
  for (const _ of [1, 2]) await metrics.text();
  openTestLake(dataDir).close();
  for (const _ of [1, 2]) await metrics.text();
  expect(told).toEqual([
    expect.stringMatching(/trendlake_lake_up is 0.*There is no lake at .*trendlake\.db/),
    expect.stringMatching(/trendlake_lake_up is 1/),
  ]);
});

test('reports a damaged lake with its path and the next step', async () => {
  const dataDir = freshFolder();
  openTestLake(dataDir).close();
  const path = join(dataDir, 'trendlake.db');
  writeFileSync(path, readFileSync(path).fill(0xab, 100));
  const told: string[] = [];
  const report = (sentence: string): void => void told.push(sentence);
  const metrics = new Metrics({ dataDir, clock: virtualClock(NOW), report, ...QUOTA });
  await metrics.text();
  await Promise.all([metrics.text(), metrics.close()]); // ended by us, not failed
  expect(told).toEqual([expect.stringMatching(/trendlake\.db is .*doctor --restore/)]);
});

test('names metrics by convention: prefix, base units, _total for counters', async () => {
  const metrics = new Metrics({ dataDir: freshFolder(), clock: virtualClock(NOW), ...QUOTA });
  onTestFinished(() => metrics.close());
  for (const { name, type, help } of metrics.list()) {
    expect(name).toMatch(/^(trendlake|process|nodejs)_[a-z0-9_]+$/);
    expect({ name, total: name.endsWith('_total') }).toEqual({ name, total: type === 'counter' });
    expect(name).not.toMatch(/_(ms|milliseconds|minutes|hours|kib|mb)(_|$)/);
    expect(help).toMatch(/^[A-Z0-9].*\.$/);
  }
});
