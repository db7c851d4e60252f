import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { LakeError } from '../../src/base/errors.ts';
import { runInThread, Thread, type ThreadOptions } from '../../src/base/thread.ts';
import type { EchoRequest } from './echo-worker.ts';

const ECHO: ThreadOptions = {
  file: new URL('./echo-worker.ts', import.meta.url),
  name: 'echo',
  start: 'given at the start',
};

let thread = new Thread<EchoRequest, string | number, string>(ECHO);
afterEach(async () => {
  await thread.close();
  thread = new Thread(ECHO);
});

test('answers requests in their order', async () => {
  const replies: unknown[] = [];
  await Promise.all([1, 2, 3].map(async (n) => replies.push(await thread.request(n))));
  expect(replies).toEqual([1, 2, 3]);
});

test('hands the data of its start to the thread', async () => {
  expect(await thread.request('start')).toBe('given at the start');
});

test('rejects with the error of the thread, and answers the next request', async () => {
  await expect(thread.request('fail')).rejects.toThrow(LakeError);
  await expect(thread.request('fail')).rejects.toMatchObject({
    message: 'The disk is full.',
    transient: true,
  });
  expect(await thread.request(1)).toBe(1);
});

test('keeps the code of a driver error', async () => {
  await expect(thread.request('refuse')).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
});

test('rejects all pending requests when the thread ends, and starts it again', async () => {
  const settled = await Promise.allSettled([thread.request('exit'), thread.request(1)]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(String((settled[0] as PromiseRejectedResult).reason)).toContain(
    'The echo thread ended without an error, exit code 3.',
  );
  expect(await thread.request(2)).toBe(2);
});

test('stops a request when its signal aborts', async () => {
  const stop = new AbortController();
  const reason = new Error('enough');
  const stopped = thread.request('wait until stopped', {
    signal: stop.signal,
    onProgress: () => stop.abort(reason),
  });
  await expect(stopped).rejects.toBe(reason);
  expect(await thread.request(1)).toBe(1);
});

test('does not start for a signal that is already aborted', async () => {
  const signal = AbortSignal.abort(new Error('too late'));
  await expect(thread.request(1, { signal })).rejects.toThrow('too late');
});

test('a single request ends its thread', async () => {
  expect(await runInThread<EchoRequest, string | number>(ECHO, 7)).toBe(7);
});

test('a process that closes a thread goes on, even if a reply arrives meanwhile', () => {
  const child = join(import.meta.dirname, 'closing-child.ts');
  expect(execFileSync(process.execPath, [child], { encoding: 'utf8' })).toBe('closed\n');
});
