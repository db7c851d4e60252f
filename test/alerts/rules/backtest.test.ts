import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';
import { prepare } from '../../../src/lake/prepare.ts';
import { NOW } from '../../serve/filled-lake.ts';
import { runService } from '../../serve/running.ts';
import { freshDataDir } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

const NIGHTS = 30;

/** Views of a video in one night: it rises, rests, and rises again. */
const viewsOf = (video: number, night: number): number =>
  Math.round(1000 * video * 1.05 ** night * (1 + ((video * night) % 11) / 4));

test('a replay fires what really fired in a simulated month, alert by alert', async () => {
  const { service, clock, newKey } = await runService((into) => {
    for (let n = 1; n <= 25; n++) {
      let highest = 0;
      into.video({
        id: `tt_${n}`,
        user: `maker${n % 4}`,
        createdAt: NOW + (n % 9) * DAY_MS,
        snapshots: Array.from({ length: NIGHTS + 1 }, (_, night) => {
          highest = Math.max(highest, viewsOf(n, night));
          return [NOW + (night + (n % 9)) * DAY_MS - 3 * HOUR_MS, highest] as [number, number];
        }),
      });
    }
  });
  const dataDir = freshDataDir();
  const env = {
    TRENDLAKE_BASE_URL: service.url,
    TRENDLAKE_API_KEY: newKey(),
    TRENDLAKE_PLATFORMS: 'tiktok',
  };
  const command = async (...argv: string[]) => {
    const { code, out, err } = await runCommand(argv, { dataDir, clock, env });
    if (code !== 0) throw new Error(err);
    return out;
  };
  const alerts = {
    passes: ['--template', 'passes-views', '--set', 'views=15000'],
    grows: ['--template', 'grows-views', '--set', 'gain=8000', '--cooldown', '3d'],
    enters: ['--template', 'enters-list', '--set', 'top=100', '--cooldown', '2d'],
    own: ['--sql', 'select id as subject, rank as value from feed_now where rank <= 3'],
  };
  for (const [name, options] of Object.entries(alerts))
    await command('alerts', 'add', name, ...options);
  for (let night = 1; night <= NIGHTS; night++) {
    clock.advanceTo(NOW + night * DAY_MS);
    await command('sync', '--no-export', '--jobs', 'feed,trends,growth');
  }
  const lake = openLakeForReading(dataDir);
  const fired = prepare(
    lake.sqlite,
    `select name || ' ' || strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') || ' ' || subject
       || ' ' || (row ->> 'value') from alert_hits order by name, at, subject`,
    'text',
  ).all();
  lake.close();
  const replayed: string[] = [];
  for (const name of Object.keys(alerts)) {
    const found = JSON.parse(await command('alerts', 'test', name, '--since', '60d', '--json')) as {
      nights: number;
      fired: { at: string; subject: string; row: { value: unknown } }[];
    };
    expect(found.nights).toBe(NIGHTS);
    const lines = found.fired.map(
      ({ at, subject, row }) => `${name} ${at} ${subject} ${row.value}`,
    );
    expect(lines.length, name).toBeGreaterThan(3);
    replayed.push(...lines);
  }
  expect(replayed.sort()).toEqual([...fired].sort());
});
