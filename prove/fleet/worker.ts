import { parseArgs } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { Secret } from '../../src/base/secret.ts';
import { openLake } from '../../src/lake/open.ts';
import { HttpApiClient } from '../../src/upstream/client.ts';
import { judge } from '../../src/upstream/judge.ts';
import { SharedLedgers } from '../../src/upstream/ledger-postgres/shared-ledgers.ts';
import { PausedError } from '../../src/upstream/throttle/errors.ts';
import { Throttle } from '../../src/upstream/throttle/throttle.ts';

// One machine of prove/fleet.ts: its own folder, a shared key, requests without end. With --keys
// it only admits and settles calls of many keys, at a rate, and reports how long each admission took.

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: '' },
    ledger: { type: 'string', default: '' },
    upstream: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
    rate: { type: 'string', default: '60' },
    timeout: { type: 'string', default: '5000' },
    concurrency: { type: 'string', default: '4' },
    keys: { type: 'string', default: '0' },
    perSecond: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '30' },
  },
});
const timeoutMs = Number(values.timeout);
const lake = openLake(values.folder);
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
const ledgers = new SharedLedgers(new Secret(values.ledger), {
  clock: systemClock,
  lakeName: values.name,
  stopping: stopping.signal,
});
const sender = `process ${process.pid}`;

const limitsOf = (key: string, ratePerMinute: number) => ({
  apiKey: new Secret(key),
  ratePerMinute,
  callsPerMonth: 10_000_000,
  quotaReset: 'calendar',
  timeoutMs,
});

/** Requests as fast as the key's pace allows, each under its own name. */
const callWithoutEnd = async (): Promise<void> => {
  const apiKey = new Secret('the one key');
  const client = new HttpApiClient({ baseUrl: values.upstream, apiKey, timeoutMs });
  const limits = limitsOf('the one key', Number(values.rate));
  const ledger = ledgers.open(lake, limits, { clock: systemClock, sender });
  const { signal } = stopping;
  const throttle = new Throttle({
    ledger,
    client,
    clock: systemClock,
    random: Math.random,
    judge,
    keepUnread: () => {},
  });
  let asked = 0;
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      asked += 1;
      const id = `tt_${values.name}x${asked}`;
      try {
        const { settle } = await throttle.request(
          { kind: 'growth', id, platform: 'tiktok' },
          (response) => response.status,
          { runId: null, job: 'growth', signal },
        );
        ledger.together(() => settle(0));
      } catch (error) {
        if (!(error instanceof PausedError)) throw error;
        await systemClock.sleep(1000, signal).catch(() => {}); // as a daemon that goes on later
      }
    }
  };
  await Promise.allSettled(Array.from({ length: Number(values.concurrency) }, work));
  await ledger.drain?.();
  await client.close();
};

/** Admits calls of many keys at a rate; prints how long each took, in ms. */
const admitMany = async (): Promise<void> => {
  const perSecond = Number(values.perSecond);
  lake.sqlite.pragma('synchronous = OFF'); // the lake of one machine never has so many: the ledger is measured
  const keys = Array.from({ length: Number(values.keys) }, (_, each) =>
    ledgers.open(lake, limitsOf(`${values.name} ${each}`, 100_000), { clock: systemClock, sender }),
  );
  const call = { runId: 1, job: 'growth', request: 'GET /videos/tt_1/growth' };
  for (const ledger of keys) await ledger.admit(call); // its row, and a connection
  const tookMs: number[] = [];
  const under: Promise<void>[] = [];
  const from = systemClock.monotonic();
  const total = perSecond * Number(values.seconds);
  for (let each = 0; each < total; each++) {
    const dueInMs = from + (1000 * each) / perSecond - systemClock.monotonic();
    if (dueInMs > 1) await systemClock.sleep(dueInMs);
    const ledger = keys[each % keys.length];
    if (ledger === undefined) break;
    under.push(
      (async () => {
        const sentMono = systemClock.monotonic();
        const admission = await ledger.admit(call);
        tookMs.push(systemClock.monotonic() - sentMono);
        if (!('callId' in admission)) throw new Error(`not admitted: ${JSON.stringify(admission)}`);
        const ended = { finishedAt: systemClock.now(), endedMono: systemClock.monotonic() };
        ledger.settle(admission.callId, {
          status: 200,
          error: null,
          sent: true,
          rowsChanged: 0,
          ...ended,
        });
      })(),
    );
  }
  await Promise.all(under);
  const seconds = (systemClock.monotonic() - from) / 1000;
  for (const ledger of keys) await ledger.drain?.();
  process.stdout.write(
    JSON.stringify({ seconds, tookMs: tookMs.map((ms) => Math.round(ms * 100) / 100) }),
  );
};

await (Number(values.keys) > 0 ? admitMany() : callWithoutEnd());
await ledgers.close();
lake.close();
