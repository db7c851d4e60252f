import { randomBytes } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { openStore } from '../../../src/output/delta/open-store.ts';
import type { TableStore } from '../../../src/output/delta/table-store.ts';
import { freshFolder } from '../../support/fresh.ts';
import { exportedLake, NOON_AT } from '../parquet/filled-lake.ts';
import { publish } from './publishing.ts';
import { startS3 } from './s3-server.ts';

beforeAll(() => {
  // where the client looks for them; nothing else is asked
  process.env.AWS_ACCESS_KEY_ID = 'key-of-this-test';
  process.env.AWS_SECRET_ACCESS_KEY = 'secret-of-this-test';
});

const storeOf = (
  { env, url = 's3://bucket/some/tables' }: { env: NodeJS.ProcessEnv; url?: string },
  partBytes?: number,
): Promise<TableStore> =>
  openStore(url, {
    env,
    clock: virtualClock(NOON_AT),
    random: () => 0.5,
    signal: new AbortController().signal,
    ...(partBytes === undefined ? {} : { partBytes }),
  });

test('publishes by requests of S3, and a second time writes nothing', async () => {
  const s3 = await startS3();
  const lake = await exportedLake();
  const store = await storeOf(s3);
  const done = await publish(lake, '', 'berlin', { store });
  expect(done.url).toBe('s3://bucket/some/tables');
  const keys = [...s3.objects.keys()];
  expect(keys.filter((key) => key.endsWith('.parquet'))).toHaveLength(done.files);
  expect(keys).toContain('some/tables/rankings/_delta_log/00000000000000000000.json');
  s3.requests.length = 0;
  expect(await publish(lake, '', 'berlin', { store })).toMatchObject({ files: 0, removed: 0 });
  expect(s3.requests.filter((line) => !/^(GET|HEAD) /.test(line))).toEqual([]);
});

test('lists of several pages are read to their end', async () => {
  const s3 = await startS3();
  const store = await storeOf(s3);
  for (let n = 0; n < 120; n += 1)
    await store.create(`t/${String(n).padStart(3, '0')}`, Buffer.from('x'));
  const keys: string[] = [];
  for await (const { key } of store.list('t/', 't/010')) keys.push(key);
  expect(keys).toHaveLength(109);
  expect([keys[0], keys.at(-1)]).toEqual(['t/011', 't/119']);
});

test('a file above 64 MB goes in parts of 16 MB', async () => {
  const s3 = await startS3();
  s3.faults.push({ on: /partNumber=2/, status: 403, code: 'AccessDenied' });
  const path = join(freshFolder(), 'big');
  const handle = await open(path, 'w+');
  try {
    const bytes = (64 << 20) + 1;
    await handle.truncate(bytes);
    const uploading = (await storeOf(s3)).copyIn('t/big', { handle, path, bytes });
    await expect(uploading).rejects.toThrow('Uploading');
  } finally {
    await handle.close();
  }
  const [{ parts } = { parts: new Map() }] = s3.uploads.values();
  expect([...parts].map(([n, part]) => [n, part.bytes.length])).toEqual([[1, 16 << 20]]);
});

describe('a file of more than four parts', () => {
  const big = join(freshFolder(), 'big');
  const partBytes = 1 << 16;
  const bytes = 4 * partBytes + 12_345;
  beforeAll(() => writeFileSync(big, randomBytes(bytes)));
  const copyIn = async (store: TableStore): Promise<void> => {
    const handle = await open(big);
    try {
      await store.copyIn('t/big', { handle, path: big, bytes });
      expect((handle as unknown as EventEmitter).listenerCount('close')).toBe(0); // one a part would add up
    } finally {
      await handle.close();
    }
  };

  test('goes in parts, and one that was cut off is gone on with', async () => {
    const s3 = await startS3();
    const store = await storeOf(s3, partBytes);
    s3.faults.push({ on: /partNumber=4/, status: 403, code: 'AccessDenied' });
    await expect(copyIn(store)).rejects.toThrow('Uploading');
    expect(s3.objects.size).toBe(0);
    s3.requests.length = 0;
    await copyIn(store);
    const sent = s3.requests.filter((line) => line.startsWith('PUT'));
    expect(sent.map((line) => /partNumber=(\d)/.exec(line)?.[1])).toEqual(['4', '5']);
    expect(s3.objects.get('some/tables/t/big')?.bytes.length).toBe(bytes);
    expect(s3.uploads.size).toBe(0);
  });

  test('whose last response was lost is there', async () => {
    const s3 = await startS3();
    const store = await storeOf(s3, partBytes);
    s3.faults.push({ on: /^POST .*uploadId=/, status: 500, code: 'InternalError', after: true });
    await copyIn(store);
    expect(s3.objects.get('some/tables/t/big')?.bytes.length).toBe(bytes);
  });
});

test('uploads that were begun long ago and never ended are ended', async () => {
  const s3 = await startS3();
  s3.uploads.set('old', { key: 'some/tables/t/lake=berlin/x', parts: new Map() });
  s3.uploads.set('of-oslo', { key: 'some/tables/t/lake=oslo/x', parts: new Map() });
  await (await storeOf(s3)).tidy('t/lake=berlin/', NOON_AT);
  expect([...s3.uploads.keys()]).toEqual(['of-oslo']);
});

test('a commit whose response was lost is made once, and reported as made', async () => {
  const s3 = await startS3();
  const lake = await exportedLake();
  const store = await storeOf(s3);
  s3.faults.push({
    on: /PUT .*videos\/_delta_log\/0+\.json/,
    status: 500,
    code: 'InternalError',
    after: true,
  });
  const done = await publish(lake, '', 'berlin', { store });
  expect(done.tables.find(({ table }) => table === 'videos')).toMatchObject({
    version: 0,
    files: 1,
    rows: 10,
  });
  expect([...s3.objects.keys()].filter((key) => /videos\/_delta_log/.test(key))).toHaveLength(1);
});

test('a store that ignores conditions is refused, with nothing published', async () => {
  const s3 = await startS3({ ignoresConditions: true });
  const store = await storeOf(s3);
  await expect(publish(await exportedLake(), '', 'berlin', { store })).rejects.toThrow(
    'is on a store that ignores conditions',
  );
  expect([...s3.objects.keys()]).toEqual([]);
});

test('a store that asks to slow down is asked again, later each time', async () => {
  const s3 = await startS3();
  const store = await storeOf(s3);
  s3.faults.push({ on: /^PUT/, status: 503, code: 'SlowDown', times: 3 });
  const { files } = await publish(await exportedLake(), '', 'berlin', { store });
  expect([...s3.objects.keys()].filter((key) => key.endsWith('.parquet'))).toHaveLength(files);
  expect(s3.faults).toMatchObject([{ times: 0 }]);
});

test.each([
  [503, 'SlowDown', 'asks to slow down', true],
  [403, 'InvalidAccessKeyId', 'AWS_ACCESS_KEY_ID', false],
  [403, 'SignatureDoesNotMatch', 'AWS_SECRET_ACCESS_KEY', false],
  [403, 'AccessDenied', 'they need s3:ListBucket', false],
  [403, 'RequestTimeTooSkewed', "set this machine's clock", true],
  [404, 'NoSuchBucket', 'There is no bucket "bucket"', false],
  [400, 'ExpiredToken', 'have run out', false],
  [301, 'PermanentRedirect', 'AWS_REGION', false],
  [501, 'NotImplemented', 'If-None-Match', false],
])(
  'HTTP %i %s is explained in words, with nothing published',
  async (status, code, words, transient) => {
    const s3 = await startS3();
    const store = await storeOf(s3);
    s3.faults.push({ on: /^PUT/, status, code, times: 1000 });
    const failed = publish(await exportedLake(), '', 'berlin', { store });
    await expect(failed).rejects.toThrow(words);
    await expect(failed).rejects.toMatchObject({ transient });
    await expect(failed).rejects.not.toThrow('secret-of-this-test');
    expect([...s3.objects.keys()]).toEqual([]);
  },
);

test.each([
  [403, 'InvalidAccessKeyId', 'The store does not know this key'],
  [403, 'SignatureDoesNotMatch', 'The store does not know this key'],
  [403, 'AccessDenied', 'they need s3:ListBucket'],
])('the first request already says why: HTTP %i %s', async (status, code, words) => {
  const s3 = await startS3();
  s3.faults.push({ on: /./, status, code, times: 1000 });
  const failed = publish(await exportedLake(), '', 'berlin', { store: await storeOf(s3) });
  await expect(failed).rejects.toThrow(words);
  expect(s3.requests).toHaveLength(1);
});

test('a clock far off is corrected by the first refusal', async () => {
  const s3 = await startS3();
  s3.faults.push({ on: /./, status: 403, code: 'RequestTimeTooSkewed' });
  await publish(await exportedLake(), '', 'berlin', { store: await storeOf(s3) });
  expect(s3.objects.size).toBeGreaterThan(0);
});

test('a missing bucket is named, not the object that was asked for in it', async () => {
  const s3 = await startS3();
  const store = await storeOf({ ...s3, url: 's3://elsewhere/tables' });
  await expect(publish(await exportedLake(), '', 'berlin', { store })).rejects.toThrow(
    'There is no bucket "elsewhere"',
  );
  expect(s3.requests).toHaveLength(1);
});

test('a store that does not answer is explained in words', async () => {
  const s3 = await startS3();
  const env = { ...s3.env, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
  const store = await storeOf({ env });
  await expect(publish(await exportedLake(), '', 'berlin', { store })).rejects.toThrow(
    'Nothing answers there',
  );
});
