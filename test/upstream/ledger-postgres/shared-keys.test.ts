import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { addKey, hashOf, newKey } from '../../../src/lake/keys/keys.ts';
import { Limiter } from '../../../src/lake/keys/limits.ts';
import { openServiceDb } from '../../../src/lake/keys/service-db.ts';
import { openLake } from '../../../src/lake/open.ts';
import { Metrics } from '../../../src/run/metrics/metrics.ts';
import { startService } from '../../../src/serve/service.ts';
import { SharedKeys } from '../../../src/upstream/ledger-postgres/shared-keys.ts';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { dbAt, ledgerServer } from './ledger-server.ts';

const servers = await ledgerServer();

describe.skipIf(servers.missing !== undefined)(
  servers.missing ?? 'keys of serve in PostgreSQL',
  () => {
    test('several services count one key together; without the server nobody is let in', async () => {
      const { url, db } = await servers.freshLedger();
      onTestFinished(() => db.close());
      const dataDir = freshFolder();
      openLake(dataDir).close();
      const env = { TRENDLAKE_LEDGER_URL: url };
      const command = (...argv: string[]) => runCommand(argv, { dataDir, env, clock: systemClock });
      const made = await command(
        'keys',
        'create',
        '--use-case',
        'two services',
        '--rate',
        '6',
        '--json',
      );
      const { id, key } = JSON.parse(made.out) as { id: string; key: string };
      const services = await Promise.all(
        [freshFolder(), freshFolder()].map(async (folder) => {
          openLake(folder).close();
          const keys = new SharedKeys(dbAt(url));
          return startService({ dataDir: folder, keys, clock: systemClock, machine: systemClock });
        }),
      );
      onTestFinished(async () => {
        for (const service of services) await service.close();
      });
      const ask = async (each: number): Promise<Response> =>
        fetch(`${services[each % 2]?.url}/usage`, { headers: { authorization: `Bearer ${key}` } });
      const responses = await Promise.all(Array.from({ length: 10 }, (_, each) => ask(each)));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([
        ...Array(6).fill(200),
        ...Array(4).fill(429),
      ]);
      expect(responses.every(({ headers }) => headers.get('ratelimit')?.includes('"minute"'))).toBe(
        true,
      );
      const read = responses.find(({ status }) => status === 200);
      expect(await read?.json()).toMatchObject({ key: id, shared: true, minute: { limit: 6 } });
      const metrics = new Metrics({
        dataDir,
        clock: systemClock,
        ratePerMinute: 60,
        callsPerMonth: 9,
        quotaReset: 'calendar',
        sharedMonths: async () => [null],
      });
      const text = await metrics.text();
      await metrics.close();
      expect(text).not.toMatch(/^trendlake_(quota|pause)/m); // unknown values are left out
      const usage = await command('keys', 'usage', '--json');
      expect(JSON.parse(usage.out)).toMatchObject([{ key: id, calls: 10, refused: 4 }]);
      const hashes = await db.rows(`select hash from ${db.schema}.service_keys`);
      expect(hashes).toEqual([{ hash: hashOf(key) }]);
      expect((await command('keys', 'revoke', id)).code).toBe(0);
      expect((await ask(0)).status).toBe(401);
      expect((await command('keys', 'list')).out).toContain(id);
      await servers.postgres.kill();
      const away = await ask(1);
      expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await away.text()).not.toContain('postgres');
      await servers.postgres.start();
    });

    test('a key stands as it would in a data directory, request by request', async () => {
      const { db } = await servers.freshLedger();
      onTestFinished(() => db.close());
      const service = openServiceDb(freshFolder());
      onTestFinished(() => void service.close());
      const [shared, limiter] = [new SharedKeys(db), new Limiter(service)];
      const { record, hash } = newKey({ useCase: 'x', ratePerMinute: 3, callsPerMonth: 7 }, 0);
      await shared.add({ record, hash });
      addKey(service, { record, hash });
      const now = Date.now();
      for (const each of [...Array<string>(9).fill(hash), 'nobody']) {
        const there = await shared.count(each, now, '/v1/usage');
        const here = limiter.count(each, now, '/v1/usage');
        const told = (one: typeof here) =>
          one && [one.minuteLeft, one.monthLeft, one.refusal, one.scopes];
        expect(told(there)).toEqual(told(here));
      }
      await db.rows(`update ${db.schema}.service_recent set at = at - 60001`);
      expect(await shared.count(hash, now, '')).toMatchObject({
        minuteLeft: 2,
        refusal: 'quota-exhausted',
      });
    });
  },
);
