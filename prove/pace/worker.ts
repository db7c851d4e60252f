import { systemClock } from '../../src/base/clock.ts';
import { Secret } from '../../src/base/secret.ts';
import { openLake } from '../../src/lake/open.ts';
import { HttpApiClient } from '../../src/upstream/client.ts';
import { judge } from '../../src/upstream/judge.ts';
import { LakeLedger } from '../../src/upstream/throttle/lake-ledger.ts';
import { Throttle } from '../../src/upstream/throttle/throttle.ts';

// One process of prove/pace.ts: asks without end, as fast as it may, until stopped.

const [dataDir = '', baseUrl = '', rate, timeout, concurrency] = process.argv.slice(2);
const timeoutMs = Number(timeout);
const lake = openLake(dataDir);
const limits = {
  ratePerMinute: Number(rate),
  callsPerMonth: 50_000,
  quotaReset: 'calendar',
  timeoutMs,
};
const ledger = new LakeLedger(lake, systemClock, limits, `process ${process.pid}`);
const client = new HttpApiClient({ baseUrl, apiKey: new Secret('none'), timeoutMs });
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
const throttle = new Throttle({
  ledger,
  client,
  clock: systemClock,
  random: Math.random,
  judge,
  keepUnread: () => {},
});

const work = async (): Promise<void> => {
  while (!stopping.signal.aborted) {
    const { settle } = await throttle.request(
      { kind: 'growth', id: 'tt_1', platform: 'tiktok' },
      (answer) => answer.status,
      { runId: null, job: 'growth', signal: stopping.signal },
    );
    ledger.together(() => settle(0));
  }
};

await Promise.allSettled(Array.from({ length: Number(concurrency) }, work));
await client.close();
lake.close();
