import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { emptyLake, insertVideos } from '../../lake/lake-fixture.ts';
import { type CommandResult, runCommand } from '../../support/run-command.ts';

const NOW = Date.UTC(2026, 0, 8);

/** Runs one command line over a lake of two videos; what it printed and its exit code. */
const search = async (...argv: string[]): Promise<CommandResult> => {
  const lake = emptyLake();
  insertVideos(lake, [
    { id: 'tt_1', title: 'Street food tour', user: 'eater', views: 5, createdAt: NOW - 3_600_000 },
    { id: 'yt_1', title: 'street art', platform: 'youtube', createdAt: NOW - 30 * 86_400_000 },
  ]);
  return runCommand(['search', ...argv], { dataDir: lake.dataDir, clock: virtualClock(NOW) });
};

test('words that are given apart are one question; --json prints one document', async () => {
  const { code, out } = await search('food', 'street', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({
    total: 1,
    complete: true,
    items: [
      {
        id: 'tt_1',
        platform: 'tiktok',
        title: 'Street food tour',
        user: 'eater',
        views: 5,
        likes: null,
        createdAt: '2026-01-07T23:00:00.000Z',
      },
    ],
  });
});

test('platform and range narrow it; a table and a count for people', async () => {
  expect((await search('street')).out).toMatch(/\n2 of 2 videos$/);
  const { out } = await search('street', '--range', '7d');
  expect(out).toMatch(/tt_1[\s\S]*1 of 1 videos/);
  expect((await search('street', '--platform', 'youtube')).out).toContain('yt_1');
  expect((await search('nothing')).out).toBe('0 of 0 videos');
});

test.each([
  ['--platform', 'myspace'],
  ['--range', '7y'],
  ['--limit', '0'],
])('%s %s is refused, naming what is allowed', async (flag, value) => {
  const { code, err } = await search('street', flag, value);
  expect(code).toBe(2);
  expect(err).toContain(flag);
});
