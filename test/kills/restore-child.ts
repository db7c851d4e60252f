import { WORLD_AT } from '../../fixtures/small-world.ts';
import { virtualClock } from '../../src/base/clock.ts';
import { restoreLake } from '../../src/run/maintenance/restore.ts';

// Puts the newest backup of the folder it is given in the lake's place.
await restoreLake(process.argv[2] ?? '', undefined, virtualClock(WORLD_AT));
