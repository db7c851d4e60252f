import { virtualClock } from '../../src/base/clock.ts';
import { withExclusive } from '../../src/lake/exclusive.ts';

// Takes the lock of the folder it is given, says so, and keeps it until killed.

await withExclusive(process.argv[2] ?? '', 'run', virtualClock(0), async () => {
  process.stdout.write('locked\n');
  await new Promise(() => setInterval(() => {}, 1 << 30));
});
