import { virtualClock } from '../../src/clock.ts';
import { restoreLake } from '../../src/maintenance/restore.ts';
import { WORLD_AT } from '../support/small-world.ts';

// Puts the newest backup of the folder it is given in the lake's place.
await restoreLake(process.argv[2] ?? '', undefined, virtualClock(WORLD_AT));
