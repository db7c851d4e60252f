import { beforeAll, expect, test } from 'vitest';
import { listHistory } from '../../src/alerts/events/list-history.ts';
import { NICHE_MIN_PAST } from '../../src/alerts/events/niche-breakout.ts';
import { MINUTE_MS } from '../../src/base/durations.ts';
import { isoOf } from '../../src/base/iso.ts';
import { loadResponse } from '../../src/ingest/responses/load-response.ts';
import { type Lake, openLake } from '../../src/lake/open.ts';
import { decodeResponse } from '../../src/upstream/decode/decode.ts';
import { type ListRequest, requestLine, type UpstreamRequest } from '../../src/upstream/request.ts';
import { responseOf } from '../support/responses.ts';
import { hoursAgo, NOW } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

// A run pulls page 1, and is paused before page 2: what readers see meanwhile, and afterwards.

let running: Running;
let lake: Lake;
let run = 0;

const page = (kind: 'feed' | 'trends' | 'hashtags', number: number): ListRequest => {
  const paging = { limit: 2, page: number, offset: 2 * (number - 1) };
  if (kind === 'hashtags') return { kind, dateRange: '30d', ...paging };
  if (kind === 'feed') return { kind, platform: 'tiktok', dateRange: '24h', ...paging };
  return { kind, platform: 'tiktok', period: 'day', ...paging };
};

const load = (
  request: UpstreamRequest,
  items: readonly object[],
  at: number,
  isLastPage: boolean,
): void => {
  const line = requestLine(request);
  const callId = Number(
    lake.sqlite
      .prepare("insert into calls (job, request, sent_at, sender) values ('feed', ?, ?, 'test')")
      .run(line, at).lastInsertRowid,
  );
  const response = responseOf({ total: 4, items, asOf: isoOf(at) });
  const decoded = decodeResponse(request, response);
  const item = { runId: run, job: request.kind, line, request, callId, attempts: 1 };
  loadResponse(lake, { ...item, response, decoded, receivedAt: at, isLastPage });
};

const KINDS = ['feed', 'trends', 'hashtags'] as const;
const itemsOf = (kind: (typeof KINDS)[number], names: string) =>
  [...names].map((name) => (kind === 'hashtags' ? { tag: name, volume: 5 } : { id: `tt_${name}` }));

/** Loads a page of every list. */
const pull = (number: 1 | 2, names: string, at: number): void => {
  for (const kind of KINDS) load(page(kind, number), itemsOf(kind, names), at, number === 2);
};

const ADDRESSES = ['/feed/tiktok', '/trends/tiktok/day', '/hashtags'];
const answers = (query: string) =>
  Promise.all(
    ADDRESSES.flatMap((address) =>
      [1, 2].map(async (number) => {
        const { body } = await running.get(`${address}?limit=2&page=${number}${query}`);
        return `${body.total} ${body.items.map((item) => item.id ?? item.tag).join(' ')}`;
      }),
    ),
  );

const OLD = ['4 tt_a tt_b', '4 tt_c tt_d', '4 tt_a tt_b', '4 tt_c tt_d', '4 a b', '4 c d'];
const NEW = ['4 tt_e tt_f', '4 tt_g tt_h', '4 tt_e tt_f', '4 tt_g tt_h', '4 e f', '4 g h'];

/** Whole pulls of each list before the half one: as many as lists have that are judged by their past. */
const PULLS = NICHE_MIN_PAST + 1;

beforeAll(async () => {
  running = await runService(() => {});
  lake = openLake(running.dataDir);
  for (let past = PULLS - 1; past >= 0; past--) {
    run += 1;
    pull(1, 'ab', hoursAgo(26 + 24 * past));
    pull(2, 'cd', hoursAgo(26 + 24 * past) + MINUTE_MS);
  }
  run += 1;
  pull(1, 'ef', hoursAgo(2));
  return () => lake.close();
});

test('the list before stands until the new one is whole; what an asOf answered it answers for ever', async () => {
  const meanwhile = `&asOf=${isoOf(hoursAgo(1))}`;
  expect(await answers('')).toEqual(OLD);
  expect(await answers(meanwhile)).toEqual(OLD);
  const dashboard = async () =>
    (await fetch(`${running.service.dashboard}?platform=tiktok`)).text();
  expect(await dashboard()).toContain('tt_a');

  const shown = lake.sqlite.prepare('select id from feed_now order by rank').pluck();
  const ranked = lake.sqlite.prepare('select count(*), count(distinct captured_at) from rankings');
  const lists = () => [...listHistory(lake.sqlite, { from: 0, to: NOW }).values()].flat().length;
  expect(shown.all()).toEqual(['tt_a', 'tt_b', 'tt_c', 'tt_d']);
  expect(ranked.raw().get()).toEqual([8 * PULLS, PULLS]);
  expect(lists()).toBe(2 * PULLS);

  lake.sqlite.exec('delete from touched_partitions');
  pull(2, 'gh', NOW);
  expect(await answers('')).toEqual(NEW);
  expect(await answers(meanwhile)).toEqual(OLD);
  expect(await dashboard()).toContain('tt_e');
  expect(shown.all()).toEqual(['tt_e', 'tt_f', 'tt_g', 'tt_h']);
  expect(ranked.raw().get()).toEqual([8 * (PULLS + 1), PULLS + 1]);
  expect(lists()).toBe(2 * (PULLS + 1));
  const touched = lake.sqlite.prepare(
    "select date from touched_partitions where table_name = 'rankings'",
  );
  expect(touched.pluck().all()).toEqual([isoOf(hoursAgo(2)).slice(0, 10)]);
});
