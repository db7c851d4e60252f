import { parseArgs } from 'node:util';
import { postgresPrograms } from '../fixtures/postgres-programs.ts';
import { proveFrozen } from './fleet/frozen.ts';
import { proveLoad } from './fleet/load.ts';
import { proveMachines } from './fleet/machines.ts';
import { proveStandbyDown } from './fleet/standby.ts';
import { proveTurnedAway } from './fleet/turned-away.ts';
import { type FleetWorld, inWorld } from './fleet/world.ts';

// A full-scale proof of the shared ledger, on PostgreSQL with a synchronous standby. `load`: how many
// calls of many keys are admitted in a second, and how long one waits for it. Then, side by side, each
// with its own servers. `standby`: machines that state different limits, while the standby is away.
// `frozen`: processes exit while the server is frozen, and the month is exact afterwards. `key`: a run
// with two keys, of which the service turns one away. `machines`: calls that arrived and that the ledger
// counted of three machines with one key, workers and the primary killed.
//
//   npm run prove fleet [-- --parts load,standby,frozen,key,machines --minutes N --seconds N --per-second N]

const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: 'load,standby,frozen,key,machines' },
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
const load = { seconds: Number(values.seconds), perSecond: Number(values['per-second']) };
if (parts.includes('load')) await inWorld(programs, 'load', (world) => proveLoad(world, load));

const proofs: Readonly<Record<string, (world: FleetWorld) => Promise<boolean>>> = {
  standby: proveStandbyDown,
  frozen: proveFrozen,
  key: proveTurnedAway,
  machines: (world) => proveMachines(world, Number(values.minutes)),
};
const chosen = Object.entries(proofs).filter(([name]) => parts.includes(name));
const failed = await Promise.all(
  chosen.map(async ([name, prove]) => ((await inWorld(programs, name, prove)) ? [] : [name])),
);
if (failed.flat().length > 0) process.stdout.write(`Does not hold: ${failed.flat().join(', ')}\n`);
process.exitCode = failed.flat().length > 0 ? 1 : 0;
