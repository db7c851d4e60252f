import { systemClock } from '../../src/clock.ts';
import { openLake } from '../../src/lake/open.ts';
import { Sender } from '../../src/webhooks/sender.ts';

// A sender in a process of its own, for tests that kill it. The argument is the data directory.
new Sender(openLake(process.argv[2] as string), { clock: systemClock, random: () => 0 });
