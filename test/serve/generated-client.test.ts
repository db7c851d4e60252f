import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateSource } from 'oazapfts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

// A client that oazapfts makes from the OpenAPI document, used as a stranger would: it must compile
// strictly, say what every field is, and read every endpoint. openapi-typescript cannot make it: it needs
// an interface of the compiler that TypeScript 7 does not have.

const READER = `
import { ok } from '@oazapfts/runtime';
import * as api from './client.ts';

const [baseUrl = '', key = ''] = process.argv.slice(2);
api.defaults.baseUrl = baseUrl;
api.defaults.headers = { authorization: 'Bearer ' + key };

const feed = await ok(api.getFeed('tiktok', { limit: 2, dateRange: '24h' }));
const views: number | null | undefined = feed.items[0]?.views;
const trends = await ok(api.getTrends('tiktok', 'week'));
const period: 'day' | 'week' | 'month' = trends.period;
const hashtags = await ok(api.getHashtags({ platform: 'tiktok' }));
const change: number | null | undefined = hashtags.items[0]?.change;
const creator = await ok(api.getCreator('tiktok', 'ada', { limit: 1 }));
const followers: number | null = creator.followers;
const growth = await ok(api.getGrowth('tt_1'));
const phase: 'rising' | 'peaking' | 'fading' | 'flat' | 'unknown' = growth.curve.phase;
const video = await ok(api.getVideo('tt_1'));
const found = await ok(api.search('"glass dance" -slow'));
const analysis = await ok(api.analyze({ id: 'tt_1' }));
const method: 'statistical' | 'model' = analysis.method;
const next = await ok(api.getForecasts('tiktok', { horizon: '24h' }));
const events = await ok(api.getEvents({ kind: 'trend.spike' }));
const usage = await ok(api.getUsage());
const remaining: number = usage.minute.remaining;
const made = await ok(api.createWebhook({ url: 'https://hook.invalid/', events: ['trend.spike'] }));
const secret: string = made.secret;
const one = await ok(api.getWebhook(made.id));
const listed = await ok(api.getWebhooks());
const rotated = await ok(api.rotateWebhook(made.id));
const tested = await ok(api.testWebhook(made.id));
const deliveries = await ok(api.getDeliveries(made.id));
const ended = await api.deleteWebhook(made.id);
const watch = await ok(api.createWatch({ subject: 'street food', every: '6h' }));
const watches = await ok(api.getWatches());
const unwatched = await api.deleteWatch(watch.id);
const document = await ok(api.getOpenApi());
const refused = await api.getFeed('tiktok', { limit: 0 });

console.log(JSON.stringify({
  getFeed: views, getTrends: [period, trends.total], getHashtags: change, getCreator: followers,
  getGrowth: [phase, growth.snapshots.length], getVideo: video.title, search: found.items[0]?.id,
  analyze: method, getForecasts: next.items.length, getEvents: events.items[0]?.subject, getUsage: remaining > 0,
  createWebhook: secret.startsWith('whsec_'), getWebhook: one.state, getWebhooks: listed.total,
  rotateWebhook: rotated.secret !== secret, testWebhook: tested.delivered,
  getDeliveries: deliveries.total, deleteWebhook: ended.status,
  createWatch: watch.callsPerMonth, getWatches: watches.items[0]?.subject, deleteWatch: unwatched.status,
  getOpenApi: 'paths' in document,
  refused: refused.status === 400 ? refused.data.errors?.[0]?.parameter : null,
}));
`;

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'trendlake-client-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inFolder = async (command: string, args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(command, args, { cwd: folder }).catch(
    (error: { stdout?: string; message: string }) => {
      throw new Error(`${error.message}\n${error.stdout ?? ''}`);
    },
  );
  return stdout;
};

let running: Running;
let operations: string[];
beforeAll(async () => {
  running = await runService((into) => {
    into.video({
      id: 'tt_1',
      title: 'the glass dance',
      user: 'ada',
      tags: ['dance'],
      snapshots: [
        [hoursAgo(30), 5],
        [hoursAgo(1), 10, 1],
      ],
    });
    into.creator({ platform: 'tiktok', handle: 'ada', snapshots: [[hoursAgo(2), 7]] });
    into.event({ id: 'e1', kind: 'trend.spike', platform: 'tiktok', at: hoursAgo(3) });
  });
  const { text, body } = await running.get('/openapi.json');
  const paths = body.paths as Record<string, Record<string, { operationId: string }>>;
  operations = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId);
  mkdirSync(join(folder, 'src'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'openapi.json'), text);
  writeFileSync(join(folder, 'src/read.ts'), READER);
  writeFileSync(join(folder, 'src/client.ts'), await generateSource(join(folder, 'openapi.json')));
});

test('it compiles, strictly, with what reads it', async () => {
  const flags =
    '--ignoreConfig --strict --noUncheckedIndexedAccess --noEmit --allowImportingTsExtensions --module nodenext --target es2024 --skipLibCheck --types node';
  expect(
    await inFolder(join(root, 'node_modules/.bin/tsc'), [...flags.split(' '), 'src/read.ts']),
  ).toBe('');
});

test('it reads every endpoint, and a problem as one', async () => {
  const out = await inFolder(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    'src/read.ts',
    running.service.url,
    running.key,
  ]);
  const { refused, ...read } = JSON.parse(out) as Record<string, unknown>;
  expect(read).toEqual({
    getFeed: 10,
    getTrends: ['week', 1],
    getHashtags: null,
    getCreator: 7,
    getGrowth: ['unknown', 2],
    getVideo: 'the glass dance',
    search: 'tt_1',
    analyze: 'statistical',
    getForecasts: 0,
    getEvents: 'video:tt_1',
    getUsage: true,
    createWebhook: true,
    getWebhook: 'enabled',
    getWebhooks: 1,
    rotateWebhook: true,
    testWebhook: false,
    getDeliveries: 0,
    deleteWebhook: 204,
    createWatch: 240,
    getWatches: 'street food',
    deleteWatch: 204,
    getOpenApi: true,
  });
  expect(Object.keys(read).toSorted()).toEqual(operations.toSorted());
  expect(refused).toBe('limit');
});
