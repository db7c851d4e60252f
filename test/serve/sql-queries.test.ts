import { expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { SqlQueries } from '../../src/serve/request/sql-queries.ts';
import { freshLake } from '../support/fresh.ts';

const ENDLESS =
  'with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n';

/** The machine's, on which no time limit is ever reached. */
const timeless: Clock = { ...systemClock, sleep: () => new Promise(() => {}) };

/** Queries over an empty lake whose time limits are never reached, and who asks. */
const asking = () => {
  const queries = new SqlQueries({ dataDir: freshLake().dataDir, clock: timeless });
  onTestFinished(() => queries.close());
  const ask = (owner: string, sql: string, gone = new AbortController()) => {
    const found = queries.table({ sql }, { owner, gone: gone.signal }).then(({ rows }) => rows);
    found.catch(() => {}); // whoever waits for it looks
    return { found, leave: () => gone.abort(new Error('left')) };
  };
  return ask;
};

test('one owner runs one query at a time, so that another need not wait', async () => {
  const ask = asking();
  const endless = [1, 2, 3, 4].map(() => ask('greedy', ENDLESS));
  expect(await ask('other', 'select 1').found).toEqual([[1]]);
  expect(await ask('third', 'select 2').found).toEqual([[2]]);
  for (const { leave } of endless) leave();
});

test('the next query of an owner runs when the one before has ended', async () => {
  const ask = asking();
  const first = ask('a', ENDLESS);
  const [second, third] = [ask('a', 'select 2'), ask('a', 'select 3')];
  first.leave();
  expect(await Promise.all([second.found, third.found])).toEqual([[[2]], [[3]]]);
  await expect(first.found).rejects.toThrow('left');
});

test('owners take turns, past those that run one already', async () => {
  const ask = asking();
  const [one, two] = [ask('a', ENDLESS), ask('b', ENDLESS)];
  const later = ask('a', 'select 1');
  const other = ask('c', 'select 3');
  two.leave();
  expect(await other.found).toEqual([[3]]);
  one.leave();
  expect(await later.found).toEqual([[1]]);
});

test('more than three waiting queries of one owner are refused', async () => {
  const ask = asking();
  const taken = [1, 2, 3, 4].map(() => ask('a', ENDLESS));
  await expect(ask('a', 'select 1').found).rejects.toMatchObject({ slug: 'unavailable' });
  expect(await ask('b', 'select 1').found).toEqual([[1]]);
  for (const { leave } of taken) leave();
});
