import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { closeToOthers } from '../../../src/base/data-dir/own-files.ts';
import { withExclusive } from '../../../src/lake/exclusive.ts';
import { openServiceDb } from '../../../src/lake/keys/service-db.ts';
import { APPLICATION_ID } from '../../../src/lake/migrate.ts';
import { LAKE_FILE, openLake } from '../../../src/lake/open.ts';
import { backupLake } from '../../../src/run/maintenance/backup.ts';
import { examine } from '../../../src/run/maintenance/doctor.ts';
import { restoreLake } from '../../../src/run/maintenance/restore.ts';
import { freshFolder } from '../../support/fresh.ts';

const clock = virtualClock(Date.UTC(2026, 2, 1));
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Every file and folder of a data directory, with its mode; the directory itself is ''. */
const modes = (dataDir: string): Record<string, string> =>
  Object.fromEntries(
    ['', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })].map((name) => [
      name,
      modeOf(join(dataDir, name)),
    ]),
  );

/** A lake of 0.1.0, as it lay under the usual umask. */
const oldLake = (): string => {
  const dataDir = join(freshFolder(), 'data');
  mkdirSync(dataDir);
  const path = join(dataDir, LAKE_FILE);
  const sqlite = new Database(path);
  const first = join(
    import.meta.dirname,
    '..',
    '..',
    '..',
    'schema',
    'migrations',
    '0000_lake.sql',
  );
  sqlite.exec(readFileSync(first, 'utf8'));
  sqlite.pragma(`application_id = ${APPLICATION_ID}`);
  sqlite.pragma('user_version = 1');
  sqlite.close();
  mkdirSync(join(dataDir, 'backups'));
  writeFileSync(join(dataDir, 'backups', 'trendlake-2026-02-28.db'), '');
  return dataDir;
};

describe('a data directory', () => {
  let umask: number;
  beforeEach(() => {
    umask = process.umask(0o022);
  });
  afterEach(() => void process.umask(umask));

  test('is made for its user alone, with all that lies in it', async () => {
    const dataDir = join(freshFolder(), 'new', 'data');
    const lake = openLake(dataDir);
    const service = openServiceDb(dataDir);
    service.exec("insert into webhook_secret (subscription_id, secret) values ('a', 'b')");
    await withExclusive(dataDir, 'sync', clock, () => backupLake(lake, { clock }));
    lake.sqlite.exec("insert into meta (key, value) values ('a', 'b')");
    const found = modes(dataDir);
    service.close();
    lake.close();
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining([
        LAKE_FILE,
        `${LAKE_FILE}-wal`,
        'service.db',
        join('backups', 'trendlake-2026-03-01.db'),
        join('locks', 'sync.lock'),
      ]),
    );
    for (const [name, mode] of Object.entries(found))
      expect([name, mode]).toEqual([name, ['', 'backups', 'locks'].includes(name) ? '700' : '600']);

    chmodSync(join(dataDir, 'backups', 'trendlake-2026-03-01.db'), 0o644);
    await restoreLake(dataDir, undefined, clock);
    expect(modeOf(join(dataDir, LAKE_FILE))).toBe('600');
  });

  test('of an older trendlake is mended when it is opened, with a sentence; once', () => {
    const dataDir = oldLake();
    const told: string[] = [];
    const open = () =>
      openLake(dataDir, { report: (sentence) => void told.push(sentence) }).close();
    open();
    for (const [name, mode] of Object.entries(modes(dataDir)))
      expect([name, mode]).toEqual([name, ['', 'backups', 'locks'].includes(name) ? '700' : '600']);
    expect(told).toEqual([
      expect.stringMatching(/made by an older trendlake/),
      expect.stringMatching(/Other users of this machine could read/),
    ]);

    chmodSync(dataDir, 0o750); // for a group: what is chosen afterwards stays
    open();
    expect(modeOf(dataDir)).toBe('750');
    expect(told).toHaveLength(2);
  });

  test('of a fresh clone is closed when the first lake is made in it', () => {
    const dataDir = join(freshFolder(), 'data');
    mkdirSync(dataDir, { mode: 0o755 });
    writeFileSync(join(dataDir, 'README.md'), 'Lakes lie here.');
    const told: string[] = [];
    openLake(dataDir, { report: (sentence) => told.push(sentence) }).close();
    expect(modeOf(dataDir)).toBe('700');
    expect(told).toEqual([]);
  });

  test('that holds other things too stays as it is; the databases in it do not', () => {
    const dataDir = oldLake();
    writeFileSync(join(dataDir, 'letter.txt'), 'not ours');
    openLake(dataDir).close();
    expect(modeOf(dataDir)).toBe('755');
    expect(modeOf(join(dataDir, 'letter.txt'))).toBe('644');
    expect(modeOf(join(dataDir, LAKE_FILE))).toBe('600');
  });

  test('is judged by doctor, which says how to mend it', async () => {
    const dataDir = join(freshFolder(), 'data');
    openLake(dataDir).close();
    const judged = async () => {
      for await (const finding of examine({ dataDir }, clock))
        if (finding.check === 'modes') return finding;
      return undefined;
    };
    expect(await judged()).toMatchObject({ ok: true, detail: 'only you can read it' });
    chmodSync(dataDir, 0o755);
    expect(await judged()).toMatchObject({
      ok: false,
      advice: expect.stringContaining(`chmod 700 ${dataDir}`),
    });
    chmodSync(dataDir, 0o750);
    expect(await judged()).toMatchObject({ ok: true, detail: 'a group may read (750)' });
    chmodSync(join(dataDir, LAKE_FILE), 0o660);
    expect(await judged()).toMatchObject({
      ok: false,
      advice: expect.stringContaining('chmod 600'),
    });
    expect(closeToOthers(dataDir)).toContain('only you can');
    expect(closeToOthers(dataDir)).toBeUndefined();
  });
});
