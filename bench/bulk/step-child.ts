import { systemClock } from '../../src/base/clock.ts';
import { keepHeapSmall } from '../../src/base/small-memory.ts';
import { importPaths } from '../../src/ingest/imports/import-path.ts';
import { loadResponse } from '../../src/ingest/responses/load-response.ts';
import { replayResponses } from '../../src/ingest/responses/replay.ts';
import { openLake } from '../../src/lake/open.ts';
import { decodeResponse } from '../../src/upstream/decode/decode.ts';
import { madePages } from '../load/made-pages.ts';

// One step of bench/bulk.ts in its own process. Prints one line: milliseconds, the peak of memory,
// seconds of processor of all threads, and of the one that writes.

const [step = '', dataDir = '', argument = ''] = process.argv.slice(2);
keepHeapSmall();
const lake = openLake(dataDir);
const { sqlite } = lake;

/** Loads pages of mostly the same videos, their bodies kept. */
const keepPages = (pages: number): void => {
  const call = sqlite.prepare(
    "insert into calls (id, job, request, sent_at, finished_at, status, sender) values (?, 'feed', ?, ?, ?, 200, 'bench')",
  );
  for (const { id, request, body, at, ...page } of madePages(50_000, pages)) {
    call.run(id, page.line, at, at);
    const response = { status: 200, headers: { 'content-type': 'application/json' }, body };
    const decoded = decodeResponse(request, response);
    const received = { runId: null, request, callId: id, response, decoded, receivedAt: at };
    loadResponse(lake, { ...received, isLastPage: true }, undefined, 'later');
  }
};

const STEPS: Readonly<Record<string, () => unknown>> = {
  import: () => importPaths(lake, [argument], process.cwd(), { clock: systemClock }),
  keep: () => keepPages(Number(argument)),
  replay: () => replayResponses(lake, lake),
};

const run = STEPS[step];
if (run === undefined) throw new Error(`There is no step ${step}.`);
const from = performance.now();
const [before, writingBefore] = [process.cpuUsage(), process.threadCpuUsage()];
await run();
const ms = performance.now() - from;
const secondsOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;
const cpuSeconds = secondsOf(process.cpuUsage(before));
const writingSeconds = secondsOf(process.threadCpuUsage(writingBefore));
lake.close();
const peakMb = process.resourceUsage().maxRSS / 1024;
process.stdout.write(`${JSON.stringify({ ms, peakMb, cpuSeconds, writingSeconds })}\n`);
