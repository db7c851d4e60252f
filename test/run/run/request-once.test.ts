import { afterAll, expect, test } from 'vitest';
import { systemClock, virtualClock } from '../../../src/base/clock.ts';
import { createKey } from '../../../src/lake/keys/keys.ts';
import { openServiceDb } from '../../../src/lake/keys/service-db.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';
import { startService } from '../../../src/serve/service.ts';
import { fillLake, freshFolder, hoursAgo, NOW } from '../../serve/filled-lake.ts';
import { freshFolder as emptyFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const clean of cleanups.toReversed()) await clean();
});

test('analyze --upstream makes one counted call and stores its response', async () => {
  const { dataDir, remove } = freshFolder();
  cleanups.push(remove);
  fillLake(dataDir, (lake) => {
    lake.video({
      id: 'tt_1',
      snapshots: [
        [hoursAgo(20), 100, 5],
        [hoursAgo(2), 5000, 300],
      ],
    });
  });
  const db = openServiceDb(dataDir);
  const { key } = createKey(db, { useCase: 'test' }, NOW);
  db.close();
  const service = await startService({
    dataDir,
    clock: virtualClock(NOW),
    machine: systemClock,
    at: NOW,
  });
  cleanups.push(() => service.close());

  const asking = emptyFolder();
  const env = { TRENDLAKE_BASE_URL: service.url, TRENDLAKE_API_KEY: key };
  const { code, out } = await runCommand(['analyze', 'tt_1', '--upstream', '--json'], {
    dataDir: asking,
    env,
  });
  expect(code).toBe(0);
  const lake = openLakeForReading(asking);
  cleanups.push(() => lake.close());
  const kept = lake.sqlite.prepare('select video_id, result from analyses').all();
  expect(kept).toEqual([{ video_id: 'tt_1', result: JSON.stringify(JSON.parse(out)) }]);
  const calls = lake.sqlite.prepare('select run_id, job, status, error from calls').all();
  expect(calls).toEqual([{ run_id: null, job: 'analyze', status: 200, error: null }]);
});
