import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { LakeBuilder } from '../../fixtures/lake-builder.ts';
import { freshDataDir, freshFolder, freshLake } from '../support/fresh.ts';
import { runCommand } from '../support/run-command.ts';
import { KEY } from '../support/sync-once.ts';
import { openTestLake } from '../support/test-lake.ts';

const errorIn = (out: string) =>
  (JSON.parse(out) as { error: { code: string; message: string; hint: string | null } }).error;

describe('what every command takes', () => {
  test.each([
    ['behind the command', (folder: string) => ['status', '--json', '--data-dir', folder]],
    ['before it', (folder: string) => ['--data-dir', folder, 'status', '--json']],
    ['in one word', (folder: string) => [`--data-dir=${folder}`, 'status', '--json']],
  ])('--data-dir %s wins over the environment', async (_, argv) => {
    const elsewhere = freshLake();
    const { code, out } = await runCommand(argv(elsewhere.dataDir), { dataDir: freshFolder() });
    expect([code, JSON.parse(out)]).toMatchObject([0, { lake: elsewhere.path }]);
  });

  test('commands below commands too', async () => {
    const { code, err } = await runCommand(['keys', 'list', '--data-dir', freshFolder()], {
      dataDir: '/nowhere',
    });
    expect([code, err]).toEqual([0, '']);
  });

  test('--config reads another file', async () => {
    const { dataDir } = freshLake();
    const file = join(freshFolder(), 'other.json');
    writeFileSync(file, JSON.stringify({ callsPerMonth: 777 }), { mode: 0o600 });
    const { out } = await runCommand(['status', '--json', '--config', file], { dataDir });
    expect(JSON.parse(out)).toMatchObject({ quota: { limit: 777 } });
  });

  /** The begin of a sync of the made-up world, which is not waited for. */
  const begunSync = async (...flags: string[]): Promise<string> => {
    const signal = AbortSignal.abort();
    const argv = ['sync', '--no-export', ...flags];
    return (await runCommand(argv, { dataDir: freshDataDir(), signal })).err;
  };

  test('--quiet leaves on stderr what went wrong', async () => {
    expect(await begunSync()).toContain('built-in sandbox');
    expect(await begunSync('--quiet')).not.toContain('built-in sandbox');
    const wrong = await runCommand(['status', '--quiet'], { dataDir: freshFolder() });
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('There is no lake')]);
  });

  test('--verbose logs every call, and shows where an error comes from', async () => {
    const upstream = await startFaultyUpstream();
    const env = { TRENDLAKE_BASE_URL: upstream.baseUrl, TRENDLAKE_API_KEY: KEY };
    const argv = ['sync', '--no-export', '--jobs', 'hashtags', '--max-calls', '1', '--verbose'];
    const { err } = await runCommand(argv, { dataDir: freshDataDir(), env });
    await upstream.close();
    expect(err).toMatch(/^\{"level":"debug",.*"callId":1/m);
    const wrong = await runCommand(['status', '--verbose'], { dataDir: freshFolder() });
    expect(wrong.err).toMatch(/There is no lake[\s\S]*at openLakeForReading/);
  });
});

describe('with --json an error is one document on stdout', () => {
  test('of a command', async () => {
    const { code, out, err } = await runCommand(['status', '--json'], { dataDir: freshFolder() });
    expect([code, errorIn(out)]).toMatchObject([2, { code: 'usage', hint: null }]);
    expect(errorIn(out).message).toMatch(/There is no lake/);
    expect(err).toMatch(/There is no lake/);
  });

  test('of a command line that cannot be read', async () => {
    const { code, out } = await runCommand(['status', '--jsno', '--json'], {
      dataDir: freshFolder(),
    });
    expect(code).toBe(2);
    expect(errorIn(out)).toEqual({
      code: 'usage',
      message: "unknown option '--jsno'",
      hint: 'Did you mean --json?',
    });
  });

  test.each([
    [['search', 'ramen', '--limit', '0', '--json'], '--limit'],
    [['keys', 'create', '--json', '--use-case', 'x', '--rate', 'many'], '--rate'],
    [['sync', '--json', '--max-calls=-1'], '--max-calls'],
  ])('of an option whose value cannot be right: %j', async (argv, flag) => {
    const { code, out } = await runCommand(argv, { dataDir: freshFolder() });
    expect([code, errorIn(out).code]).toEqual([2, 'usage']);
    expect(errorIn(out).message).toContain(`${flag} must be `);
  });

  test('of the configuration', async () => {
    const env = { TRENDLAKE_BASEURL: 'https://api.example.com/v1' };
    const { code, out } = await runCommand(['plan', '--json'], { dataDir: freshDataDir(), env });
    expect([code, errorIn(out).code]).toEqual([2, 'configuration']);
    expect(errorIn(out).message).toMatch(/Did you mean TRENDLAKE_BASE_URL\?/);
  });

  test('without --json stdout stays empty', async () => {
    for (const argv of [
      ['status'],
      ['status', '--nope'],
      ['nope'],
      ['search', 'x', '--limit', '0'],
    ])
      expect((await runCommand(argv, { dataDir: freshFolder() })).out).toBe('');
  });
});

describe('text from outside is harmless on a terminal', () => {
  // clears the screen; sets its title; C1's cursor up; text that reads backwards; a bell
  const HOSTILE = 'a\u001b[2Jb\u001b]0;gone\u0007c\u009b1Ad\u202eevil\u2066e\rf\u200f';
  const HARMFUL = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u;

  const hostileLake = (): string => {
    const dataDir = freshFolder();
    const lake = openTestLake(dataDir);
    const text = `dance ${HOSTILE}`;
    const known = { at: 0, views: 5 };
    new LakeBuilder(lake).video({ id: 'tt_1', title: text, user: text, known });
    lake.sqlite
      .prepare(
        'insert into drift (resource, field, first_seen_at, sample) values (@text, @text, 0, @text)',
      )
      .run({ text: HOSTILE });
    lake.close();
    return dataDir;
  };

  test.each([
    ['status'],
    ['query', 'select title, user from videos'],
    ['query', 'select title from videos', '--json'],
    ['query', `select "${HOSTILE}" from videos`],
    ['search', 'dance'],
    ['search', HOSTILE],
    ['analyze', 'tt_1'],
    ['analyze', HOSTILE],
    ['import', `${HOSTILE}.ndjson`],
    ['sync', '--jobs', HOSTILE],
    [HOSTILE],
    ['status', `--${HOSTILE}`],
  ])('%s %s', async (...argv) => {
    const { out, err } = await runCommand(argv, { dataDir: hostileLake() });
    expect(`${out}${err}`).not.toMatch(HARMFUL);
  });

  test('in JSON it is written out, so that the value stays what it was', async () => {
    const argv = ['query', "select title from videos where id = 'tt_1'", '--json'];
    const { out } = await runCommand(argv, { dataDir: hostileLake() });
    expect(JSON.parse(out)).toEqual([{ title: `dance ${HOSTILE}` }]);
  });
});
