import { Thread } from '../../src/base/thread.ts';
import type { EchoRequest } from './echo-worker.ts';

// Closes a thread whose reply is already on its way, as a search refresh does. Prints `closed`.

const thread = new Thread<EchoRequest, string | number, string>({
  file: new URL('./echo-worker.ts', import.meta.url),
  name: 'echo',
});
await thread.request(1);
const replied = new Int32Array(new SharedArrayBuffer(4));
thread.request({ replied }).catch(() => {});
Atomics.wait(replied, 0, 0); // blocks this thread until the reply is on its way
await thread.close();
process.stdout.write('closed\n');
