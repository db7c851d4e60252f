import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { virtualClock } from '../../src/base/clock.ts';
import type { Surroundings } from '../../src/cli/context/io.ts';
import { run } from '../../src/cli/main.ts';
import { LakeKeys } from '../../src/lake/keys/key-store.ts';
import { fillLake, freshFolder, hoursAgo, NOW } from './filled-lake.ts';

let folder: ReturnType<typeof freshFolder>;
beforeEach(() => {
  folder = freshFolder();
});
afterEach(() => folder.remove());

/** Runs the command line and returns its output. `onLine` gets each line of stdout. */
const invoke = async (
  argv: string[],
  onLine: (line: string, stop: () => void) => void = () => {},
): Promise<{ code: number; out: string[]; err: string[] }> => {
  const stopping = new AbortController();
  const [out, err]: [string[], string[]] = [[], []];
  const io: Surroundings = {
    env: { TRENDLAKE_DATA_DIR: folder.dataDir },
    cwd: folder.dataDir,
    clock: virtualClock(NOW),
    random: () => 0.5,
    signal: stopping.signal,
    isTerminal: false,
    columns: undefined,
    out: (line) => {
      out.push(line);
      onLine(line, () => stopping.abort());
    },
    err: (line) => void err.push(line),
    draw: () => {},
  };
  return { code: await run(argv, io), out, err };
};

describe('keys', () => {
  test('create prints the key once; it is kept as a hash only', async () => {
    const { code, out } = await invoke(['keys', 'create', '--use-case', 'weekly report', '--json']);
    expect(code).toBe(0);
    expect(out).toHaveLength(1);
    const made = JSON.parse(out.join('\n')) as { id: string; key: string };
    expect(made).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^tl_live_[\w-]{43}$/),
      tier: 'beta',
      scopes: ['read', 'lab', 'webhooks', 'watch'],
    });
    const listed = await invoke(['keys', 'list', '--json']);
    expect(JSON.parse(listed.out.join('\n'))).toMatchObject([
      {
        id: made.id,
        useCase: 'weekly report',
        tier: 'beta',
        ratePerMinute: 60,
        callsPerMonth: 50_000,
        revokedAt: null,
      },
    ]);
    expect(listed.out.join()).not.toContain(made.key);
    for (const name of ['service.db', 'service.db-wal']) {
      const path = join(folder.dataDir, name);
      if (existsSync(path)) expect(readFileSync(path).includes(made.key)).toBe(false);
    }
    const revoked = await invoke(['keys', 'revoke', made.id]);
    expect(revoked.code).toBe(0);
    expect((await invoke(['keys', 'list'])).out.join()).toContain(made.id);
  });

  test('a failure is stated even if closing fails after it', async () => {
    const close = vi.spyOn(LakeKeys.prototype, 'close').mockRejectedValue(new Error('not closed'));
    onTestFinished(() => close.mockRestore());
    const { code, err } = await invoke(['keys', 'revoke', 'key_unknown']);
    expect(close).toHaveBeenCalledOnce();
    expect(err.join()).toContain('key_unknown');
    expect(err.join()).not.toContain('unexpected');
    expect(code).toBe(2);
  });

  test.each([
    [['keys', 'create'], 'use-case'],
    [['keys', 'create', '--use-case', ' '], 'use-case'],
    [['keys', 'create', '--use-case', '--json'], 'it is "--json"'],
    [['keys', 'create', '--use-case', 'x', '--tier', 'gold'], '--tier'],
    [['keys', 'create', '--use-case', 'x', '--tier', 'enterprise', '--rate', '5'], '--month'],
    [['keys', 'create', '--use-case', 'x', '--rate', '0'], '--rate'],
    [['keys', 'create', '--use-case', 'x', '--scopes', 'read,write'], '--scopes'],
    [['keys', 'revoke', 'key_none'], 'key_none'],
    [['serve', '--port', '70000'], '--port'],
    [['serve', '--port', 'x'], '--port'],
    [['serve', '--at', 'noon'], '--at'],
    [['serve', '--public-url', 'trends.example'], '--public-url'],
    [['serve', '--public-url', 'https://trends.example/page'], '--public-url'],
    [['serve', '--cors', 'app.example'], '--cors'],
    [['serve', '--cors', '*'], '--cors'],
    [['serve', '--cors', 'https://app.example/page'], '--cors'],
    [['serve', '--cors', 'https://app.example,'], '--cors'],
  ])('refused with 2 and a sentence: %j', async (argv, named) => {
    const { code, err, out } = await invoke(argv);
    expect(code).toBe(2);
    expect(err.join()).toContain(named);
    expect(out).toEqual([]);
  });
});

test('sandbox takes --json: it prints one JSON line in any case', async () => {
  const path = join(folder.dataDir, 'snapshots.ndjson');
  writeFileSync(path, '{"id": "tt_1", "at": "2026-03-01T00:00:00Z", "views": 1}');
  const argv = ['sandbox', '--from', path, '--json'];
  const { code, out } = await invoke(argv, (_, stop) => stop());
  expect(code).toBe(0);
  expect(out.map((line) => Object.keys(JSON.parse(line) as object))).toEqual([['url', 'key']]);
});

describe('serve', () => {
  test('takes origins as people write them', async () => {
    let allowed: Promise<string | null> | undefined;
    const cors = 'https://other.example, https://App.example/';
    await invoke(['serve', '--port', '0', '--json', '--cors', cors], (line, stop) => {
      const { url } = JSON.parse(line) as { url: string };
      allowed = fetch(`${url}/usage`, { headers: { origin: 'https://app.example' } })
        .then((got) => got.headers.get('access-control-allow-origin'))
        .finally(stop);
    });
    expect(await allowed).toBe('https://app.example');
  });

  test('a failure once it listens leaves no server behind', async () => {
    let url = '';
    const { code } = await invoke(['serve', '--port', '0', '--json'], (line) => {
      ({ url } = JSON.parse(line) as { url: string });
      throw new Error('nobody reads what it prints');
    });
    expect(code).toBe(1);
    await expect(fetch(url)).rejects.toThrow();
  });

  test('prints one JSON line once listening, answers, and stops on the signal', async () => {
    fillLake(folder.dataDir, (into) => into.video({ id: 'tt_1', snapshots: [[hoursAgo(48), 7]] }));
    const { out: made } = await invoke(['keys', 'create', '--use-case', 'x', '--json']);
    const { key } = JSON.parse(made.join()) as { key: string };
    let asked: Promise<unknown> = Promise.resolve();
    const { code, out, err } = await invoke(
      ['serve', '--port', '0', '--at', '2026-03-08T13:00:00Z', '--json'],
      (line, stop) => {
        const { url } = JSON.parse(line) as { url: string };
        const headers = { authorization: `Bearer ${key}` };
        asked = fetch(`${url}/feed/tiktok?note=${key}`, { headers })
          .then((answer) => answer.json())
          .finally(stop);
      },
    );
    expect(code).toBe(0);
    expect(out).toHaveLength(1);
    const { url, dashboard } = JSON.parse(out[0] ?? '') as { url: string; dashboard: string };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(dashboard).toBe(url.replace(/v1$/, ''));
    expect(await asked).toMatchObject({ total: 1, asOf: '2026-03-08T13:00:00.000Z' });
    expect(err.join()).toContain('/v1/feed/tiktok?note=tl_live_[hidden]');
    expect(err.join()).not.toContain(key);
  });

  test('says at its start what is open to whom', async () => {
    const told = async (...options: string[]) =>
      (await invoke(['serve', '--port', '0', ...options], (_, stop) => stop())).err.join();
    expect(await told()).toMatch(/^Everyone on this machine can open .* without a key\./);
    expect(await told('--host', '0.0.0.0')).toContain('require a key, like /v1');
    expect(await told('--public-url', 'https://trends.example')).toContain(
      'https://trends.example',
    );
    expect(await told('--host', '0.0.0.0', '--public-dashboard')).toContain('--public-dashboard');
  });

  test('without --json a sentence holding the url', async () => {
    const { out } = await invoke(['serve', '--port', '0'], (_, stop) => stop());
    expect(out.join()).toMatch(/http:\/\/127\.0\.0\.1:\d+\/v1/);
  });

  test('a taken port is a sentence and exit code 2', async () => {
    let second: Awaited<ReturnType<typeof invoke>> | undefined;
    let done: Promise<void> = Promise.resolve();
    await invoke(['serve', '--port', '0', '--json'], (line, stop) => {
      const { port } = new URL((JSON.parse(line) as { url: string }).url);
      done = invoke(['serve', '--port', port], (_, end) => end()).then((ended) => {
        second = ended;
        stop();
      });
    });
    await done;
    expect(second?.code).toBe(2);
    expect(second?.err.join()).toContain('cannot listen');
  });
});
