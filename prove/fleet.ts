import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { postgresPrograms } from '../fixtures/postgres-programs.ts';
import { systemClock } from '../src/base/clock.ts';
import { postgresAddress } from '../src/base/config/postgres-url.ts';
import { initLedger } from '../src/upstream/ledger-postgres/init-ledger.ts';
import { LedgerDb } from '../src/upstream/ledger-postgres/ledger-db.ts';
import { proveLoad } from './fleet/load.ts';
import { proveMachines } from './fleet/machines.ts';
import { startPair } from './fleet/postgres.ts';
import { proveStandbyDown } from './fleet/standby.ts';
import { proveTurnedAway } from './fleet/turned-away.ts';

// A full-scale proof of the shared ledger, on a PostgreSQL with a synchronous standby. `load`: how many
// calls of many keys are admitted in a second, and how long one waits for it. `standby`: machines that
// state different limits, while the standby is away. `key`: a run with two keys, of which the service
// turns one away. `machines`: what the upstream and the ledger saw of three machines with one key,
// workers and the primary killed.
//
//   npm run prove fleet [-- --parts load,standby,key,machines --minutes N --seconds N --per-second N]

const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: 'load,standby,key,machines' },
    minutes: { type: 'string', default: process.env.PROVE_FLEET_MINUTES ?? '10' },
    seconds: { type: 'string', default: process.env.PROVE_FLEET_SECONDS ?? '60' },
    'per-second': { type: 'string', default: '400' },
  },
});
const parts = values.parts.split(',');

const programs = postgresPrograms();
if ('missing' in programs) {
  process.stdout.write(`Skipped: there is ${programs.missing}.\n`);
  process.exit();
}
const pair = await startPair(programs);
const scratch = mkdtempSync(join(tmpdir(), 'trendlake-machines-'));
try {
  const address = postgresAddress(pair.url);
  if (address === undefined) throw new Error('no address');
  const db = new LedgerDb(address, { clock: systemClock });
  const { warnings } = await initLedger(db);
  if (warnings.length > 0) throw new Error(warnings.join(' '));
  const world = { pair, db, scratch };
  const perSecond = Number(values['per-second']);
  if (parts.includes('load'))
    await proveLoad(world, { seconds: Number(values.seconds), perSecond });
  const holdsAway = !parts.includes('standby') || (await proveStandbyDown(world));
  const handsOver = !parts.includes('key') || (await proveTurnedAway(world));
  const holds = !parts.includes('machines') || (await proveMachines(world, Number(values.minutes)));
  await db.close();
  process.exitCode = holds && holdsAway && handsOver ? 0 : 1;
} finally {
  await pair.stop();
  rmSync(scratch, { recursive: true, force: true });
}
