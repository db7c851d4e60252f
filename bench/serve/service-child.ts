import { virtualClock } from '../../src/clock.ts';
import { startService } from '../../src/serve/service.ts';
import { keepHeapSmall } from '../../src/serve/small-heap.ts';

// The service in a process of its own, so that its memory and its processor are its alone, set up as `serve` does. Prints its
// address and how long it took to start; stops when its input ends.

const [dataDir = '', at = ''] = process.argv.slice(2);
keepHeapSmall();
const from = performance.now();
const service = await startService({ dataDir, clock: virtualClock(Number(at)), at: Number(at) });
console.log(JSON.stringify({ url: service.url, startedMs: performance.now() - from }));
process.stdin.resume().once('end', () => void service.close());
