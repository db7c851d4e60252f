import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { WorkQueue, type WorkQueueOptions } from '../../src/serve/cache/work-queue.ts';

const stays = new AbortController().signal;

/** A queue whose jobs note their start and wait for `release`. Owners are the first letters of jobs. */
const queueOf = (limits: Partial<WorkQueueOptions> = {}) => {
  const options = { clock: systemClock, atOnce: 1, atOnceOfOwner: 1, waitingMost: 5, ...limits };
  const queue = new WorkQueue(options);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const started: string[] = [];
  const run = (job: string, gone = stays): Promise<void> =>
    queue.run(job.charAt(0), gone, async () => {
      started.push(job);
      await released;
    });
  return { run, release, started };
};

test('owners take turns, each with its own jobs in their order', async () => {
  const { run, release, started } = queueOf();
  const jobs = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map((job) => run(job));
  release();
  await Promise.all(jobs);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'c2']);
});

test('an owner with its number of jobs running waits, others start', async () => {
  const { run, release, started } = queueOf({ atOnce: 2 });
  const jobs = ['a1', 'a2', 'b1', 'c1'].map((job) => run(job));
  expect(started).toEqual(['a1', 'b1']);
  release();
  await Promise.all(jobs);
  expect(started).toEqual(['a1', 'b1', 'a2', 'c1']);
});

test('a job that nobody waits for any more leaves the queue', async () => {
  const { run, release, started } = queueOf({ waitingMost: 1 });
  const leaving = new AbortController();
  const first = run('a1');
  const left = run('a2', leaving.signal);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ slug: 'unavailable' });
  const jobs = [first, run('a3')]; // there is room for it again
  release();
  await Promise.all(jobs);
  expect(started).toEqual(['a1', 'a3']);
  await expect(run('a4', leaving.signal)).rejects.toMatchObject({ slug: 'unavailable' });
});

test('rejects the jobs of an owner with many waiting, and all when too many wait in total', async () => {
  const { run, release } = queueOf({ waitingMost: 1 });
  const jobs = ['a1', 'a2'].map((job) => run(job));
  await expect(run('a3')).rejects.toMatchObject({ slug: 'unavailable' });
  jobs.push(...Array.from('bcdefghij', (owner) => run(owner)));
  await expect(run('k')).rejects.toThrow('10 slow requests');
  release();
  await Promise.all(jobs);
  await run('k');
});
