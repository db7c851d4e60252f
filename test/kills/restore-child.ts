import { WORLD_AT } from '../../fixtures/small-world.ts';
import { virtualClock } from '../../src/clock.ts';
import { restoreLake } from '../../src/maintenance/restore.ts';

// Puts the newest backup of the folder it is given in the lake's place.
await restoreLake(process.argv[2] ?? '', undefined, virtualClock(WORLD_AT));
