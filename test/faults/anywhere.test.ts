import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { type Ask, requestLine } from '../../src/api/ask.ts';
import { apiClient } from '../../src/api/client.ts';
import { virtualClock } from '../../src/clock.ts';
import { openLake } from '../../src/lake/open.ts';
import { askOnce } from '../../src/runner/ask-once.ts';
import * as faults from '../support/faults.ts';
import { type Fault, startFaultyUpstream } from '../support/faulty-upstream.ts';
import { freshFolder } from '../support/fresh.ts';
import { lakeRows } from '../support/lake-rows.ts';
import { WORLD_AT } from '../support/small-world.ts';
import { type SyncResult, smallConfig, syncOnce } from '../support/sync-once.ts';

const PASSING: Record<string, Fault> = {
  '429': faults.status(429, { 'retry-after': '3' }),
  '500': faults.status(500),
  '503': faults.status(503),
  reset: faults.resetAfter(0),
  'reset in the body': faults.resetAfter(300),
  cut: faults.cutWithoutLength,
  html: faults.text('<html>'),
  empty: faults.text(''),
};
const RUNS = Number(process.env.PROVE_FAULTS ?? 60);

/** What a run that met nothing asks of the lists; looks follow what the lists showed, and when. */
let cleanLists: string[];
beforeAll(async () => {
  const upstream = await startFaultyUpstream();
  const dataDir = freshFolder();
  await syncOnce(dataDir, upstream.baseUrl);
  cleanLists = listsOf(answered(dataDir));
  await upstream.close();
});

/** Every request a lake has an answer to, once each. */
const answered = (dataDir: string): Ask[] => {
  const lake = openLake(dataDir);
  const asks = lake.sqlite
    .prepare(`select distinct ask from run_items where state = 'done' order by run_id, position`)
    .pluck()
    .all() as string[];
  lake.close();
  return asks.map((ask) => JSON.parse(ask) as Ask);
};
const listsOf = (asks: Ask[]): string[] =>
  asks
    .filter((ask) => ask.kind !== 'growth' && ask.kind !== 'creator')
    .map(requestLine)
    .toSorted();

/** The lake of somebody who asked a service that behaves for the same things. */
const lakeOf = async (asks: Ask[], baseUrl: string): Promise<SyncResult['rows']> => {
  const config = smallConfig(freshFolder(), baseUrl);
  const lake = openLake(config.dataDir);
  const client = apiClient(config);
  const { signal } = new AbortController();
  const deps = { lake, config, client, clock: virtualClock(WORLD_AT), random: () => 0.5, signal };
  for (const ask of asks) await askOnce(deps, 'by hand', ask);
  const rows = lakeRows(lake);
  await client.close();
  lake.close();
  return rows;
};

// What a sequence of faults may do: fail an item for good when it meets one attempt after another,
// or stop the run when the service looks dead. The next sync then makes up for it, and may choose
// other looks than a run that knew every list at once; so the lake is held against the same asks.
test(`property: whatever passing faults meet a run, and wherever, the lake ends as without them (${RUNS} sequences)`, async () => {
  const fault = fc.record({
    name: fc.constantFrom(...Object.keys(PASSING)),
    after: fc.integer({ min: 0, max: 24 }),
  });
  let faulted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fault, { maxLength: 12, selector: (f) => f.after }),
      async (all) => {
        const rules = all.map(({ name, after }) => ({ fault: PASSING[name] as Fault, after }));
        const upstream = await startFaultyUpstream(rules);
        const behaving = await startFaultyUpstream();
        const dataDir = freshFolder();
        try {
          let result = await syncOnce(dataDir, upstream.baseUrl);
          for (let again = 0; again < 12 && result.summary.outcome !== 'complete'; again++)
            result = await syncOnce(dataDir, upstream.baseUrl);
          faulted += all.length;
          expect(result.ledger).toBe(upstream.arrivals.length);
          expect(result.summary.outcome).toBe('complete');
          const asks = answered(dataDir);
          expect(listsOf(asks)).toEqual(cleanLists);
          expect(result.rows).toEqual(await lakeOf(asks, behaving.baseUrl));
        } finally {
          await upstream.close();
          await behaving.close();
        }
      },
    ),
    { numRuns: RUNS },
  );
  expect(faulted).toBeGreaterThan(0);
}, 3_600_000);
