import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { virtualClock } from '../../src/base/clock.ts';
import { createKey } from '../../src/lake/keys/keys.ts';
import { usageByDay } from '../../src/lake/keys/limits.ts';
import { openServiceDb } from '../../src/lake/keys/service-db.ts';
import { freshFolder } from '../support/fresh.ts';
import { runCommand } from '../support/run-command.ts';
import { NOW } from './filled-lake.ts';
import { runService } from './running.ts';

const clock = virtualClock(NOW);
const day = new Date(NOW).toISOString().slice(0, 10);

test('keys usage counts calls by key, day and route', async () => {
  const { get, dataDir } = await runService(() => {}, { clock });
  for (const path of ['/feed/tiktok', '/feed/youtube?limit=5', '/events', '/nowhere/at/all'])
    await get(path);
  const usage = async (...options: string[]) =>
    runCommand(['keys', 'usage', ...options], { dataDir, clock });
  const rows = JSON.parse((await usage('--json')).out) as Record<string, unknown>[];
  expect(rows.map(({ route, calls, refused }) => [route, calls, refused])).toEqual([
    ['/v1/events', 1, 0],
    ['/v1/feed/:platform', 2, 0],
    ['unknown', 1, 0],
  ]);
  expect(rows[0]).toMatchObject({ day, key: expect.stringMatching(/^key_/) });
  const [head, first] = (await usage('--csv', '--month', day.slice(0, 7))).out.split('\n');
  expect(head).toBe('key,use_case,day,route,calls,refused');
  expect(first).toMatch(new RegExp(`^key_[\\w-]+,.*,${day},/v1/events,1,0$`));
  expect((await usage()).out).toContain('4 calls in');
  expect((await usage('--month', '1999-01')).out).toContain('No key was used in 1999-01');
  expect((await usage('--month', 'May')).code).toBe(2);
});

test('days counted by 0.1.0 are counted on', () => {
  const dataDir = freshFolder();
  const db = openServiceDb(dataDir);
  const { id } = createKey(db, { useCase: 'old' }, NOW).record;
  db.exec(`
    create table key_day (key_id text not null, day text not null, requests integer not null,
      refused integer not null, primary key (key_id, day)) strict, without rowid;
    insert into key_day values ('${id}', '${day}', 7, 2)`);
  db.close();
  const again = openServiceDb(dataDir);
  expect(usageByDay(again, id, 3)).toEqual([{ day, requests: 7, refused: 2 }]);
  again.close();
  const file = new Database(join(dataDir, 'service.db'), { readonly: true });
  expect(file.prepare("select 1 from sqlite_schema where name = 'key_day'").get()).toBeUndefined();
  file.close();
});
