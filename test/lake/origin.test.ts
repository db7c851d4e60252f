import { expect, test } from 'vitest';
import { openLakeFor, originOf } from '../../src/lake/origin.ts';
import { freshFolder } from '../support/fresh.ts';

const NOW = Date.UTC(2026, 0, 15);
const report = (): void => {};
const spend = 'insert into calls (run_id, job, request, sent_at, sender) values (?, ?, ?, ?, ?)';
const ROW = [3, 'feed', 'GET /feed', NOW, 'x'];
const VIDEO = "insert into video (id, platform) values ('tt_1', 'tiktok')";

test('a lake into which a service loaded nothing may be filled by a sandbox, and no call is forgotten', () => {
  const dataDir = freshFolder();
  const refused = openLakeFor(dataDir, 'upstream', { now: NOW, report });
  refused.sqlite.prepare(spend).run(...ROW);
  refused.close();

  const tried = openLakeFor(dataDir, 'sandbox', { now: NOW, report });
  expect(originOf(tried)).toBe('sandbox');
  tried.sqlite.prepare(spend).run(...ROW);
  tried.sqlite.exec(VIDEO);
  tried.close();
  openLakeFor(dataDir, 'sandbox', { fresh: true, now: NOW + 1, report }).close();

  const real = openLakeFor(dataDir, 'upstream', { now: NOW + 2, report });
  expect(originOf(real)).toBe('upstream');
  expect(real.sqlite.prepare('select count(*) from calls').pluck().get()).toBe(1);
  const run = real.sqlite
    .prepare(
      "insert into runs (started_at, outcome, heartbeat_at, jobs) values (0, 'running', 0, '[]') returning id",
    )
    .pluck()
    .get();
  expect(run).toBe(4); // a run that got the number 3 would count that call as its own
  real.sqlite.exec(VIDEO);
  real.close();
  expect(() => openLakeFor(dataDir, 'sandbox', { now: NOW, report })).toThrow(/holds real data/);
});
