import { LakeError } from '../../src/base/errors.ts';
import { answerRequests, threadStart } from '../../src/base/thread.ts';

// A thread for thread.test.ts that does what it is asked to.

export type EchoRequest =
  | ('start' | 'fail' | 'refuse' | 'exit' | 'wait until stopped' | number)
  /** Wakes its sender once the reply is on its way. */
  | { readonly replied: Int32Array };

const start = threadStart<string>();

answerRequests<EchoRequest, string | number, string>(async (request, { isStopped, report }) => {
  if (request === 'start') return start;
  if (request === 'fail') throw new LakeError('The disk is full.', { transient: true });
  if (request === 'refuse') throw Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' });
  if (request === 'exit') process.exit(3);
  if (request === 'wait until stopped') {
    report('waiting');
    while (!isStopped()) await new Promise((resolve) => setImmediate(resolve));
    throw new LakeError('Stopped.');
  }
  if (typeof request === 'object') {
    const { replied } = request;
    setImmediate(() => {
      Atomics.store(replied, 0, 1);
      Atomics.notify(replied, 0);
    });
    return 'replied';
  }
  return request;
});
