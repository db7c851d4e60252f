import { startSender } from '../../../src/alerts/webhooks/sender.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { openLake } from '../../../src/lake/open.ts';

// A sender in its own process, for tests that kill it. The argument is the data directory.
startSender(openLake(process.argv[2] as string), { clock: systemClock, random: () => 0 });
