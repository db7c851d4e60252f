import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { startDialectUpstream } from '../../fixtures/dialect-upstream.ts';
import type { UpstreamSettings } from '../../src/base/config/upstream-settings.ts';
import type { Dialect } from '../../src/sandbox/dialects.ts';
import { RandomStream } from '../../src/sandbox/world/random-stream.ts';
import { freshDataDir, freshFolder } from '../support/fresh.ts';
import { runCommand } from '../support/run-command.ts';
import { KEY, syncOnce } from '../support/sync-once.ts';

const COMBINATIONS = Number(process.env.PROVE_DIALECTS ?? 8);
const SEED = Number(process.env.PROVE_DIALECTS_SEED ?? 1);
const MOST_CALLS = 30;

/** One of each group is spoken; '' is our own way. */
const GROUPS = [
  ['', 'words'],
  ['', 'daily', 'hours'],
  ['', 'prefixes'],
  ['', 'ranges'],
  ['', 'offset', 'skip', 'zero', 'cursor', 'token', 'address', 'link'],
  ['', 'small', 'clamp'],
  ['', 'envelope', 'results', 'bare'],
  ['', 'timeline'],
  ['', 'fraction'],
  ['', 'text'],
  ['', 'accepted'],
  ['', 'mute', 'strict'],
  ['', 'tens'],
  ['', 'demanding'],
  ['', 'wrapped'],
  ['', 'lenient', 'okay'],
];

const combination = (index: number): string[] => {
  const random = new RandomStream(SEED, index);
  return GROUPS.flatMap((group) => group[Math.floor(random.next() * group.length)] || []);
};

const PLATFORMS = { platforms: 'tiktok,instagram,youtube' };

interface Probed {
  readonly ok: boolean;
  readonly calls: number;
  readonly upstream: UpstreamSettings;
  readonly findings: readonly { part: string; found: string; certainty: string }[];
}

/** Runs `probe --write` against a dialect, and whatever follows. */
const withDialect = async <T>(
  dialects: readonly string[],
  use: (probed: Probed & { code: number; requests: string[]; url: string; dataDir: string }) => T,
): Promise<Awaited<T>> => {
  const service = await startDialectUpstream(dialects);
  try {
    const dataDir = freshDataDir();
    const env = { TRENDLAKE_BASE_URL: service.baseUrl, TRENDLAKE_API_KEY: KEY };
    const argv = ['probe', '--write', '--json', '--max-calls', String(MOST_CALLS)];
    const { code, out } = await runCommand(argv, { dataDir, env });
    const probed = JSON.parse(out) as Probed;
    const { baseUrl: url, requests } = service;
    return await use({ ...probed, code, requests: [...requests], url, dataDir });
  } finally {
    await service.close();
  }
};

const withoutTotals = ({ rankings = [], ...rows }: Record<string, unknown[]>) => ({
  ...rows,
  rankings: rankings.map((row) => ({ ...(row as object), total: null })),
});

let plain: Record<string, unknown[]>;
beforeAll(async () => {
  const service = await startDialectUpstream([]);
  const { rows } = await syncOnce(freshFolder(), service.baseUrl, { config: PLATFORMS });
  plain = rows;
  await service.close();
});

describe('after probe --write, a sync loads what is served, in our words', () => {
  test.each(Array.from({ length: COMBINATIONS }, (_, index) => [combination(index).join(',')]))(
    '%s',
    async (names) => {
      const dialects = names.split(',').filter((name) => name !== '');
      await withDialect(dialects, async ({ ok, code, calls, upstream, findings, ...service }) => {
        expect(calls).toBe(service.requests.length);
        expect(calls).toBeLessThanOrEqual(MOST_CALLS);
        expect(findings.filter(({ found }) => found.startsWith('unknown'))).toEqual([]);
        expect([ok, code]).toEqual([true, 0]);
        const file = readFileSync(join(service.dataDir, 'trendlake.config.json'), 'utf8');
        expect(JSON.parse(file).upstream ?? {}).toEqual(upstream);
        const config = { ...PLATFORMS, upstream: JSON.stringify(upstream) };
        const { summary, rows } = await syncOnce(freshFolder(), service.url, { config });
        expect(summary).toMatchObject({ outcome: 'complete', rejected: 0 });
        const isBare = dialects.includes('bare'); // a bare list has no total
        expect(isBare ? withoutTotals(rows) : rows).toEqual(isBare ? withoutTotals(plain) : plain);
      });
    },
  );
});

describe('what cannot be read is named, and sync refuses', () => {
  test.each<[string, Dialect, string]>([
    [
      'platforms with names that nobody can guess',
      { platforms: { tiktok: 'p1', instagram: 'p2', youtube: 'p3' }, isMute: true },
      'platform tiktok',
    ],
    ['a list below the depth that is searched', { items: 'a.b.c.d.e.f' }, 'feed of tiktok'],
    ['periods with numbers', { periods: { day: 'x1', week: 'x2', month: 'x3' } }, 'period day'],
    ['a page parameter of its own', { parameter: 'blatt' }, 'paging'],
  ])('%s', async (_, dialect, part) => {
    const service = await startDialectUpstream(dialect);
    try {
      const dataDir = freshDataDir();
      const env = { TRENDLAKE_BASE_URL: service.baseUrl, TRENDLAKE_API_KEY: KEY };
      const { code, out } = await runCommand(['probe', '--json', '--write'], { dataDir, env });
      const { ok, calls, findings } = JSON.parse(out) as Probed;
      expect([ok, code]).toEqual([false, 1]);
      expect(calls).toBeLessThanOrEqual(30);
      const unknown = findings.filter(({ found }) => found.startsWith('unknown'));
      expect(unknown.map((finding) => finding.part)).toContain(part);
      expect(unknown[0]?.found).toMatch(/Ask the operator/);
      const sent = service.requests.length;
      const sync = await runCommand(['sync'], { dataDir, env });
      expect(sync.code).toBe(2);
      expect(sync.err).toContain('could not read');
      expect(service.requests).toHaveLength(sent);

      const mended = { ...env, TRENDLAKE_UPSTREAM: '{"lists": {"total": "total"}}' };
      const tried = await runCommand(['sync', '--max-calls', '1'], { dataDir, env: mended });
      expect(tried.code).not.toBe(2); // another setting is tried
    } finally {
      await service.close();
    }
  });
});

test('a probe spends no more calls than it may, and says what it did not ask', async () => {
  const service = await startDialectUpstream(['words', 'cursor']);
  try {
    const dataDir = freshDataDir();
    const env = { TRENDLAKE_BASE_URL: service.baseUrl, TRENDLAKE_API_KEY: KEY };
    const argv = ['probe', '--json', '--max-calls', '7'];
    const { code, out } = await runCommand(argv, { dataDir, env });
    const { calls, findings } = JSON.parse(out) as Probed;
    expect([code, calls, service.requests.length]).toEqual([1, 7, 7]);
    expect(findings).toContainEqual(
      expect.objectContaining({ part: 'hashtags', found: expect.stringContaining('--max-calls') }),
    );
    const query = ['query', '--json', "select count(*) as n from calls where job = 'probe'"];
    expect(JSON.parse((await runCommand(query, { dataDir })).out)).toEqual([{ n: 7 }]);
  } finally {
    await service.close();
  }
});
