import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { lakeRows } from '../../fixtures/lake-rows.ts';
import { putReleasedLake, releasedAnswers } from '../../fixtures/released-lake.ts';
import { virtualClock } from '../../src/base/clock.ts';
import { replayResponses } from '../../src/ingest/responses/replay.ts';
import { LAKE_FILE, type Lake, openLake } from '../../src/lake/open.ts';
import { startService } from '../../src/serve/service.ts';
import { freshFolder } from '../support/fresh.ts';

/** A data directory as 0.1.0 left it. */
const released = (): string => {
  const dataDir = freshFolder();
  putReleasedLake(dataDir);
  return dataDir;
};

/** A response without fields that 0.1.0 did not have, and with its wording. */
const asThen = (text: string): unknown =>
  JSON.parse(text, (name, value) =>
    name === 'sampled' || (name === 'forecast' && value === null)
      ? undefined
      : name === 'title' && value === 'Not found'
        ? 'There is nothing here'
        : value,
  );

test('a lake that 0.1.0 made answers as 0.1.0 did, list by list, to the keys it had', async () => {
  const { at, key, answers } = releasedAnswers();
  const clock = virtualClock(at);
  const service = await startService({ dataDir: released(), clock, machine: clock, at });
  try {
    for (const { path, status, body } of answers) {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${service.url}${path}`, { headers });
      expect([path, response.status]).toEqual([path, status]);
      expect([path, asThen(await response.text())]).toEqual([path, body]);
    }
  } finally {
    await service.close();
  }
});

/** Loaded rows without changes, which 0.1.0 did not keep, and with hashtags of removed titles. */
const rowsOf = (lake: Lake): Record<string, unknown[]> => {
  const { extra_revision: _, creator_revision: __, ...rows } = lakeRows(lake);
  const tags = lake.sqlite.prepare(`
    select v.id, r.until_at, h.tag from video_revision r join video v on v.key = r.video_key
    join json_each('[' || r.tags || ']') t join hashtag h on h.key = t.value order by 1, 2, 3`);
  return { ...rows, tags: tags.all() };
};

test('brought up to date it is the lake that its responses make today; the copy stays as it was', async () => {
  const dataDir = released();
  const lake = openLake(dataDir);
  const into = openLake(freshFolder());
  try {
    await replayResponses(lake, into);
    const rows = rowsOf(lake);
    expect(rows).toEqual(rowsOf(into));
    expect(rows.tags?.length).toBeGreaterThan(50);
  } finally {
    lake.close();
    into.close();
  }
  const [before, copy] = [join(released(), LAKE_FILE), join(dataDir, `${LAKE_FILE}.v1`)].map(
    (path) => {
      const sqlite = new Database(path, { readonly: true });
      const tables = sqlite
        .prepare("select name from sqlite_schema where type = 'table' and sql not like '%VIRTUAL%'")
        .pluck()
        .all() as string[];
      const found = tables.map((name) => [name, sqlite.prepare(`select * from "${name}"`).all()]);
      sqlite.close();
      return Object.fromEntries(found) as Record<string, unknown[]>;
    },
  );
  expect(copy).toEqual(before);
});
