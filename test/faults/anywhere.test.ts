import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { STRIKING_ANYWHERE } from '../../fixtures/fault-cases.ts';
import { type Fault, type FaultRule, startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { countOf, lakeRows } from '../../fixtures/lake-rows.ts';
import { WORLD_AT } from '../../fixtures/small-world.ts';
import { JOB_NAMES } from '../../schema/vocabulary.ts';
import { virtualClock } from '../../src/base/clock.ts';
import { openLake } from '../../src/lake/open.ts';
import { requestOnce } from '../../src/run/run/request-once.ts';
import { HttpApiClient } from '../../src/upstream/client.ts';
import { requestLine, type UpstreamRequest } from '../../src/upstream/request.ts';
import { freshFolder } from '../support/fresh.ts';
import { type SyncResult, smallConfig, syncOnce } from '../support/sync-once.ts';

// `npm run prove faults` is the long form: 1,000 sequences of up to 200 faults.
const PROVING = process.env.PROVE_FAULTS !== undefined;
const SEQUENCES = Number(process.env.PROVE_FAULTS ?? 15);
const MOST_FAULTS = PROVING ? 200 : 20;
const CONFIG = {
  timeoutMs: '1000', // real ones: the slow faults are met by the client's own timer
  schedules: JSON.stringify(Object.fromEntries(JOB_NAMES.map((name) => [name, 'off']))), // no month to plan
};
const SLOW = ['no response at all', 'headers, then nothing', 'a byte now and then, for ever'];

/** Requests for lists in a run without faults; looks follow what the lists showed, and when. */
let cleanLists: string[];
beforeAll(async () => {
  const upstream = await startFaultyUpstream();
  const dataDir = freshFolder();
  await syncOnce(dataDir, upstream.baseUrl);
  cleanLists = listsOf(answered(dataDir));
  await upstream.close();
});

/** Every request a lake has a response to, once each. */
const answered = (dataDir: string): UpstreamRequest[] => {
  const lake = openLake(dataDir);
  const requests = lake.sqlite
    .prepare(
      `select distinct request_json from run_items where state = 'done' order by run_id, position`,
    )
    .pluck()
    .all() as string[];
  lake.close();
  return requests.map((request) => JSON.parse(request) as UpstreamRequest);
};
const listsOf = (requests: UpstreamRequest[]): string[] =>
  requests
    .filter((request) => request.kind !== 'growth' && request.kind !== 'creator')
    .map(requestLine)
    .toSorted();

/** The lake of somebody who asked a service that behaves for the same things. */
const lakeOf = async (
  requests: UpstreamRequest[],
  baseUrl: string,
): Promise<SyncResult['rows']> => {
  const config = smallConfig(freshFolder(), baseUrl);
  const lake = openLake(config.dataDir);
  const client = new HttpApiClient(config);
  const { signal } = new AbortController();
  const deps = { lake, config, client, clock: virtualClock(WORLD_AT), random: () => 0.5, signal };
  for (const request of requests) await requestOnce(deps, 'by hand', request);
  const rows = lakeRows(lake);
  await client.close();
  lake.close();
  rmSync(config.dataDir, { recursive: true });
  return rows;
};

/** A fault, and how many requests after the one before it strikes. */
interface Strike {
  name: string;
  gap: number;
}
const strike: fc.Arbitrary<Strike> = fc.record({
  name: fc.oneof(
    {
      weight: 400,
      arbitrary: fc.constantFrom(
        ...Object.keys(STRIKING_ANYWHERE).filter((name) => !SLOW.includes(name)),
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom(...SLOW) },
  ),
  gap: fc.integer({ min: 1, max: 4 }),
});

const rulesOf = (strikes: readonly Strike[]): FaultRule[] => {
  let after = -1;
  return strikes.map(({ name, gap }) => {
    after += gap;
    return { fault: STRIKING_ANYWHERE[name] as Fault, after };
  });
};

/**
 * Every arrival has its row. A row without an arrival is a call that was sent into a connection the
 * other side was just closing: it counts as spent, and says that no response came.
 * @returns how many of those there were
 */
const expectCounted = (dataDir: string, arrivals: readonly { line: string }[]): number => {
  const lake = openLake(dataDir);
  const rows = lake.sqlite
    .prepare(
      'select request, count(*) as calls, sum(status is null) as lost from calls group by request',
    )
    .all() as { request: string; calls: number; lost: number }[];
  lake.close();
  const unarrived = rows.map(({ request, calls, lost }) => {
    const line = request.replace(' ', ' /v1');
    const missing = calls - arrivals.filter((arrival) => arrival.line === line).length;
    expect({ request, missing, covered: missing >= 0 && missing <= lost }).toMatchObject({
      covered: true,
    });
    return missing;
  });
  const sum = unarrived.reduce((all, missing) => all + missing, 0);
  expect(rows.reduce((all, { calls }) => all + calls, 0) - sum).toBe(arrivals.length);
  return sum;
};

const figures = {
  sequences: 0,
  faults: 0,
  calls: 0,
  lost: 0,
  runs: 0,
  longest: 0,
  outcomes: new Map<string, number>(),
};

/** Syncs again and again until every fault has struck and a run is complete. */
const syncThrough = async (
  dataDir: string,
  baseUrl: string,
  isOver: () => boolean,
): Promise<SyncResult> => {
  const clock = virtualClock(WORLD_AT);
  for (let runs = 1; ; runs++) {
    const result = await syncOnce(dataDir, baseUrl, { clock, config: CONFIG });
    const { outcome, resumesAt } = result.summary;
    figures.runs += 1;
    figures.outcomes.set(outcome, (figures.outcomes.get(outcome) ?? 0) + 1);
    if (outcome === 'complete' && isOver()) return result;
    expect(runs).toBeLessThan(500);
    if (resumesAt !== null) clock.advanceTo(Date.parse(resumesAt));
  }
};

// A sequence of faults may fail an item for good when it meets one attempt after another, or stop
// the run when the service looks dead. The next sync then makes up for it, and may choose other
// snapshots than a run that knew every list at once; so the lake is compared with the same
// requests.
test(
  `property: whatever faults meet a run, and wherever, the lake ends as without them (${SEQUENCES} sequences)`,
  async () => {
    const startedAt = performance.now();
    const behaving = await startFaultyUpstream();
    await fc.assert(
      fc.asyncProperty(
        fc.array(strike, { maxLength: MOST_FAULTS, size: 'max' }),
        async (strikes) => {
          const rules = rulesOf(strikes);
          const last = rules.at(-1)?.after ?? -1;
          const upstream = await startFaultyUpstream(rules);
          const dataDir = freshFolder();
          try {
            const isOver = () => upstream.arrivals.length > last;
            const result = await syncThrough(dataDir, upstream.baseUrl, isOver);
            figures.faults += strikes.length;
            figures.sequences += 1;
            if (PROVING && figures.sequences % 100 === 0)
              process.stdout.write(`${figures.sequences} sequences, ${figures.faults} faults\n`);
            figures.longest = Math.max(figures.longest, strikes.length);
            figures.calls += result.ledger;
            figures.lost += expectCounted(dataDir, upstream.arrivals);
            const requests = answered(dataDir);
            expect(listsOf(requests)).toEqual(cleanLists);
            expect(result.rows).toEqual(await lakeOf(requests, behaving.baseUrl));
            const lake = openLake(dataDir);
            expect(lake.sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
            expect(countOf(lake, 'select count(*) from calls where finished_at is null')).toBe(0);
            lake.close();
          } finally {
            await upstream.close();
          }
        },
      ),
      { numRuns: SEQUENCES, endOnFailure: PROVING },
    );
    await behaving.close();
    expect(figures.faults).toBeGreaterThan(0);
    if (PROVING)
      process.stdout.write(
        `${SEQUENCES} sequences of up to ${figures.longest} faults: ${figures.faults} faults struck in ${figures.calls} calls (${figures.lost} of them lost on the way) and ${figures.runs} runs (${[...figures.outcomes].map(([outcome, runs]) => `${runs} ${outcome}`).join(', ')}), no violation, ${Math.round((performance.now() - startedAt) / 1000)} s\n`,
      );
  },
  4 * 3_600_000,
);
