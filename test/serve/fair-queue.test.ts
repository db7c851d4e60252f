import { expect, test } from 'vitest';
import { FairQueue } from '../../src/serve/cache/fair-queue.ts';

/** Takes all jobs, in the order of their turns. */
const drained = (queue: FairQueue<string>): string[] => {
  const jobs: string[] = [];
  for (let job = queue.take(); job !== undefined; job = queue.take()) jobs.push(job);
  return jobs;
};

test('owners take turns, each with its own jobs in their order', () => {
  const queue = new FairQueue<string>();
  for (const job of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(job.charAt(0), job);
  expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect(queue.size).toBe(0);
});

test('a job that nobody waits for leaves the queue once', () => {
  const queue = new FairQueue<string>();
  for (const job of ['a1', 'a2', 'b1']) queue.push(job.charAt(0), job);
  expect([queue.remove('a', 'a1'), queue.remove('a', 'a1')]).toEqual([true, false]);
  expect(queue.remove('b', 'b1')).toBe(true);
  expect(queue.size).toBe(1);
  expect(drained(queue)).toEqual(['a2']);
  expect(queue.remove('a', 'a2')).toBe(false);
});
